internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// One part of a multipart body: its encoded fields and its body.
struct MultipartPart: Sendable {
    enum Content: Sendable {
        case memory(Data)
        case body(RequestBody)
    }

    /// The part's description in error messages.
    let label: String
    /// The fields and the empty line after them.
    let head: Data
    let content: Content

    /// Creates a part of a form.
    ///
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` for an invalid media type.
    init(_ content: Content, name: String, fileName: String?, mimeType: String?) throws(ApusError) {
        self.label = Self.label(of: name)
        var head = Self.disposition(name, fileName)
        if let mimeType {
            guard !mimeType.isEmpty, mimeType.utf8.allSatisfy(Self.isAllowedInValue) else {
                throw ApusError(.multipartEncodingFailed, "\(label): its media type is empty or has control characters")
            }
            head += "Content-Type: \(mimeType)\r\n"
        }
        self.head = Data((head + "\r\n").utf8)
        self.content = content
    }

    /// Creates a part of a form without a media type, which can't fail.
    init(_ data: Data, name: String, fileName: String? = nil) {
        self.label = Self.label(of: name)
        self.head = Data((Self.disposition(name, fileName) + "\r\n").utf8)
        self.content = .memory(data)
    }

    /// Creates a part with custom fields.
    ///
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` for an invalid field.
    init(_ body: RequestBody, fields: HTTPFields, number: Int) throws(ApusError) {
        self.label = "the part number \(number)"
        var head = Data()
        for field in fields {
            // The type of a name ensures that it is a token.
            head.append(contentsOf: "\(field.name.rawName): ".utf8)
            let isAllowed = field.withUnsafeBytesOfValue { value in
                head.append(contentsOf: value)
                return value.allSatisfy(Self.isAllowedInValue)
            }
            guard isAllowed else {
                throw ApusError(.multipartEncodingFailed, "\(label): its \(field.name) has control characters")
            }
            head.append(contentsOf: "\r\n".utf8)
        }
        head.append(contentsOf: "\r\n".utf8)
        self.head = head
        self.content = Content(body)
    }

    /// The length of the body in bytes. `nil` if it is unknown.
    var contentLength: Int64? {
        switch content {
        case .memory(let data): Int64(data.count)
        case .body(let body): body.length
        }
    }

    /// Returns the error of this part, with the part's name.
    func failure(_ error: any Error) -> ApusError { Self.failure(error, of: label) }

    static func failure(_ error: any Error, of label: String) -> ApusError {
        let failure = ApusError(wrapping: error, as: .multipartEncodingFailed, by: "its stream")
        if failure.isCancelled { return failure }
        return ApusError(
            failure.code,
            "\(label): \(failure.detail)",
            hint: failure.hint,
            underlying: failure.underlying
        )
        .with(file: failure.fileURL)
    }

    static func label(of name: String) -> String { "the part '\(escapedName(name))'" }

    private static func disposition(_ name: String, _ fileName: String?) -> String {
        let file = fileName.map { "; filename=\"\(escaped($0))\"" } ?? ""
        return "Content-Disposition: form-data; name=\"\(escapedName(name))\"\(file)\r\n"
    }

    /// Returns the name of a form field as browsers write it: each line break becomes CR LF and is then escaped.
    private static func escapedName(_ name: String) -> String {
        var lines = ""
        var followsReturn = false
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\n": lines += followsReturn ? "" : "\r\n"
            case "\r": lines += "\r\n"
            default: lines.unicodeScalars.append(scalar)
            }
            followsReturn = scalar == "\r"
        }
        return escaped(lines)
    }

    /// Returns a quoted name as browsers write it: only characters that could end the quotes or the line are escaped.
    ///
    /// See https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// RFC 9110 §5.5: all bytes except control characters other than HTAB.
    private static func isAllowedInValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}

extension MultipartPart.Content {
    init(_ body: RequestBody) {
        switch body.storage {
        case .none: self = .memory(Data())
        case .bytes(let chunk): self = .memory(Data(chunk))
        case .file, .replayable, .once: self = .body(body)
        // A part has no trailers.
        case .trailed(let body, _): self = Self(body)
        }
    }

    var isInMemory: Bool {
        if case .memory = self { true } else { false }
    }
}
