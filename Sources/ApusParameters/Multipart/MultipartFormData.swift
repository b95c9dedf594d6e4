public import ApusCore
internal import Foundation
internal import HTTPTypes

/// A multipart form, as used for file uploads. Its named parts are streamed one after the other from their sources.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Ada", withName: "name")
/// try form.append(Data([0x89, 0x50]), withName: "icon", fileName: "icon.png", mimeType: "image/png")
/// print(form.contentType, form.contentLength ?? 0)
/// ```
///
/// It is a value type: copies are independent, except that they share streams that can be read only once. Files are
/// opened when they are sent and are never read into memory as a whole. The form is replayable if all parts are. Its
/// length is known if the lengths of all parts are.
///
/// A form without parts is sent as its closing delimiter alone, as browsers do.
///
/// See RFC 7578, https://www.rfc-editor.org/rfc/rfc7578.html
public struct MultipartFormData: Sendable {
    /// A shorter form, in bytes, is encoded before it is sent if all its parts are in memory: 10,000,000.
    public static let encodingMemoryThreshold = 10_000_000

    let mark: MultipartBoundary
    let subtype: String
    var parts: [MultipartPart] = []

    /// Creates an empty form with a random boundary.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates an empty form with a boundary from `generator`, for reproducible tests.
    public init(using generator: inout some RandomNumberGenerator) {
        self.mark = MultipartBoundary(using: &generator)
        self.subtype = "form-data"
    }

    /// Creates an empty multipart body.
    ///
    /// - Parameters:
    ///   - subtype: The subtype of its media type. Named parts have the disposition `form-data` for every subtype. Use
    ///     `append(_:fields:)` for parts of other types. Default: `form-data`.
    ///   - boundary: The delimiter between the parts. No line of a part in memory may begin with it. Files and streams
    ///     are not checked. With `nil` it is random and occurs nowhere. Default: `nil`.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` if the subtype is not a token, or the boundary is
    ///   invalid by RFC 2046 §5.1.1: 1 to 70 characters.
    public init(subtype: String = "form-data", boundary: String? = nil) throws(ApusError) {
        guard HTTPField.Name(subtype) != nil else {
            throw ApusError(.multipartEncodingFailed, "its subtype is not a token; RFC 9110 §8.3.1")
        }
        if let boundary {
            self.mark = try MultipartBoundary(boundary)
        } else {
            var generator = SystemRandomNumberGenerator()
            self.mark = MultipartBoundary(using: &generator)
        }
        self.subtype = subtype
    }

    /// The delimiter between the parts.
    public var boundary: String { mark.text }

    /// The value of the `Content-Type` field for this body.
    public var contentType: String { "multipart/\(subtype); boundary=\(mark.parameterValue)" }

    /// The length of the whole body in bytes, including delimiters and fields. `nil` if the length of a part is
    /// unknown.
    public var contentLength: Int64? {
        var length: Int64 = 0
        for index in 0...parts.count {
            guard let content = index < parts.count ? parts[index].contentLength : 0 else { return nil }
            let (longer, overflows) = content.addingReportingOverflow(Int64(envelope(ahead: index).count))
            let (sum, overflowsToo) = length.addingReportingOverflow(longer)
            // Only a stream with a false length overflows. Its length counts as unknown.
            guard !overflows, !overflowsToo else { return nil }
            length = sum
        }
        return length
    }

    /// Returns the delimiter and fields before a part's body, or after the last part the closing delimiter.
    func envelope(ahead index: Int) -> Data {
        var envelope = Data((index == 0 ? "--\(boundary)" : "\r\n--\(boundary)").utf8)
        guard index < parts.count else {
            envelope.append(contentsOf: "--\r\n".utf8)
            return envelope
        }
        envelope.append(contentsOf: "\r\n".utf8)
        envelope.append(parts[index].head)
        return envelope
    }
}

extension MultipartFormData: CustomStringConvertible {
    /// The number of parts and their total length, without any names, fields or bytes.
    public var description: String {
        let length = contentLength.map { "\($0) bytes" } ?? "length unknown"
        return "multipart/\(subtype), parts: \(parts.count), \(length)"
    }
}
