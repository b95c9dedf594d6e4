public import ApusCore
internal import Foundation
internal import HTTPTypes

/// The content of a form with files: parts with names, one after the other, each streamed from where it is.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Ada", withName: "name")
/// try form.append(Data([0x89, 0x50]), withName: "icon", fileName: "icon.png", mimeType: "image/png")
/// print(form.contentType, form.contentLength ?? 0)
/// ```
///
/// It is a value: copies are independent, except that they share the streams that can be read once only. Files are
/// opened when they are sent, and no part but those in memory is ever in memory as a whole.
///
/// A form without a part is sent as browsers send one: as the closing delimiter alone.
///
/// See RFC 7578, https://www.rfc-editor.org/rfc/rfc7578.html
public struct MultipartFormData: Sendable {
    /// Below this length, in bytes, a form whose parts are all in memory is put together before it is sent: 10,000,000.
    public static let encodingMemoryThreshold = 10_000_000

    let mark: MultipartBoundary
    let subtype: String
    var parts: [MultipartPart] = []

    /// Makes a form without a part, with a random boundary.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Makes a form without a part, with a boundary that `generator` makes: one that is known, for tests.
    public init(using generator: inout some RandomNumberGenerator) {
        self.mark = MultipartBoundary(using: &generator)
        self.subtype = "form-data"
    }

    /// Makes a content without a part.
    ///
    /// - Parameters:
    ///   - subtype: The subtype of its media type; `form-data` by default. Parts with names have the disposition
    ///     `form-data` whatever the subtype is; give those of others their fields by `append(_:fields:)`.
    ///   - boundary: What stands between the parts: no part in memory may have it at the beginning of a line. Files and
    ///     streams are not looked at. `nil`, the default, is a random one, which stands nowhere.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, where the subtype is no token, or the boundary not
    ///   one by RFC 2046 §5.1.1: 1 to 70 characters.
    public init(subtype: String = "form-data", boundary: String? = nil) throws(ApusError) {
        guard HTTPField.Name(subtype) != nil else {
            throw ApusError(.multipartEncodingFailed, "its subtype is no token; RFC 9110 §8.3.1")
        }
        if let boundary {
            self.mark = try MultipartBoundary(boundary)
        } else {
            var generator = SystemRandomNumberGenerator()
            self.mark = MultipartBoundary(using: &generator)
        }
        self.subtype = subtype
    }

    /// What stands between the parts.
    public var boundary: String { mark.text }

    /// The value of the `Content-Type` field that belongs to the content.
    public var contentType: String { "multipart/\(subtype); boundary=\(mark.parameterValue)" }

    /// How many bytes the whole content has, with all that stands around the parts; `nil` where the length of a part is
    /// not known beforehand.
    public var contentLength: Int64? {
        var length: Int64 = 0
        for index in 0...parts.count {
            guard let content = index < parts.count ? parts[index].contentLength : 0 else { return nil }
            let (longer, overflows) = content.addingReportingOverflow(Int64(envelope(ahead: index).count))
            let (sum, overflowsToo) = length.addingReportingOverflow(longer)
            // No content is that long; a stream that promises so much is none that has a length.
            guard !overflows, !overflowsToo else { return nil }
            length = sum
        }
        return length
    }

    /// What stands ahead of the content of a part; behind the last, what closes the form.
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
    /// How many parts there are and how long they are; no name, no field and no byte of them.
    public var description: String {
        let length = contentLength.map { "\($0) bytes" } ?? "length unknown"
        return "multipart/\(subtype), parts: \(parts.count), \(length)"
    }
}
