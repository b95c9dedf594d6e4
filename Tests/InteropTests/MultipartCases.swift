internal import Apus
internal import ApusTestServer
internal import Foundation

/// A part of a form before encoding, with the names as the caller gave them.
struct MeantPart: Encodable, Sendable {
    let name: String
    let fileName: String?
    let mimeType: String?
    let content: Data
}

/// A form with files, and its parts.
struct MultipartCase {
    private static let mimeTypes = [
        "text/plain", "text/plain; charset=utf-8", "text/plain; charset=\"iso-8859-1\"", "image/png",
        "application/octet-stream", "application/x-a; b=\"c;d\"; e=f", "TEXT/HTML", "a/b",
    ]

    let form: MultipartFormData
    let parts: [MeantPart]
    /// Whether a line of a part begins with the boundary, which the case chose itself. Such a form must be rejected.
    let isRejected: Bool

    /// Creates a form.
    ///
    /// - Parameters:
    ///   - hostile: The generator of names and contents.
    ///   - folder: The folder for its files.
    ///   - isForEchoes: Whether readers return all parts as JSON. If so, parts without a file are text without a media
    ///     type, and all names are different.
    /// - Throws: The form's error.
    init(_ hostile: inout Hostile, folder: URL, isForEchoes: Bool = false) throws {
        let isOwn = hostile.isOne(of: 5)
        var form =
            isOwn
            ? try MultipartFormData(boundary: Self.boundary(of: &hostile)) : MultipartFormData(using: &hostile.numbers)
        var parts: [MeantPart] = []
        for number in 0..<(hostile.isOne(of: 100) ? 100 : hostile.number(below: 6)) {
            let hasFile = hostile.isOne(of: 2)
            let isText = isForEchoes && !hasFile
            let hasType = hostile.isOne(of: 2) && !isText
            let hasBoundary = hostile.isOne(of: 50) && isOwn
            let part = MeantPart(
                name: (isForEchoes ? "\(number):" : "") + hostile.text(),
                fileName: hasFile ? hostile.text() : nil,
                mimeType: hasType ? Self.mimeTypes[hostile.number(below: Self.mimeTypes.count)] : nil,
                content: hasBoundary
                    ? Data("\(hostile.text())\n--\(form.boundary)\(hostile.text())".utf8)
                    : isText ? Data(hostile.text().utf8) : hostile.content(near: form.boundary)
            )
            // A random boundary never occurs in a body, so the encoder does not search for it. This one could be known.
            guard isOwn || !Self.hasLine(of: form.boundary, in: part.content) else { continue }
            // The encoder does not search files and streams either.
            parts.append(try form.append(part, inMemory: isOwn, &hostile, folder))
        }
        self.isRejected = parts.contains { Self.hasLine(of: form.boundary, in: $0.content) }
        self.form = form
        self.parts = parts
    }

    private static func boundary(of hostile: inout Hostile) -> String {
        let marks = Array("'()+_,-./:=? abcXYZ019")
        var boundary = ""
        for _ in 0...hostile.number(below: 70) { boundary.append(marks[hostile.number(below: marks.count)]) }
        return boundary.last == " " ? boundary.dropLast() + "." : boundary
    }

    private static func hasLine(of boundary: String, in content: Data) -> Bool {
        content.split(omittingEmptySubsequences: false) { $0 == 0x0D || $0 == 0x0A }
            .contains { $0.starts(with: Data("--\(boundary)".utf8)) }
    }
}

extension MultipartFormData {
    /// Appends a part with one of the available methods, and returns the expected part.
    fileprivate mutating func append(
        _ part: MeantPart,
        inMemory: Bool,
        _ hostile: inout Hostile,
        _ folder: URL
    ) throws -> MeantPart {
        switch hostile.number(below: inMemory ? 2 : 10) {
        case 3 where part.fileName != nil:
            let file = folder.appending(path: "\(UUID().uuidString).bin")
            try part.content.write(to: file)
            try append(file, withName: part.name, fileName: part.fileName, mimeType: part.mimeType)
            let mimeType = part.mimeType ?? "application/octet-stream"
            return MeantPart(name: part.name, fileName: part.fileName, mimeType: mimeType, content: part.content)
        case 4...5:
            let count = 1 + hostile.number(below: 100)
            let length = hostile.isOne(of: 2) ? Int64(part.content.count) : nil
            try append(withLength: length, name: part.name, fileName: part.fileName, mimeType: part.mimeType) {
                AsyncStream { continuation in
                    for start in stride(from: 0, to: part.content.count, by: count) {
                        continuation.yield(BodyChunk(part.content.dropFirst(start).prefix(count)))
                    }
                    continuation.finish()
                }
            }
        default:
            if part.mimeType == nil {
                append(part.content, withName: part.name, fileName: part.fileName)
            } else {
                try append(part.content, withName: part.name, fileName: part.fileName, mimeType: part.mimeType)
            }
        }
        return part
    }
}

/// An encoded form with files for the other implementations.
struct WrittenMultipart: Encodable {
    let kind = "multipart"
    let number: Int
    let contentType: String
    let parts: [MeantPart]
    let body: Data

    private enum CodingKeys: CodingKey {
        case kind, number, contentType, parts, body
    }

    init(_ multipart: MultipartCase, number: Int) async throws {
        self.number = number
        self.contentType = multipart.form.contentType
        self.parts = multipart.parts
        self.body = try await multipart.form.encode()
    }
}
