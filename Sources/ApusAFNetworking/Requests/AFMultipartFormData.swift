public import Apus
public import Foundation
public import HTTPTypes

/// Builds a multipart form, with AFNetworking's names. It uses `MultipartFormData` internally.
///
/// ```swift
/// let serializer = AFHTTPRequestSerializer()
/// let request = try serializer.multipartFormRequest(
///     withMethod: .post,
///     urlString: "https://api.example.org/icons",
///     parameters: ["name": "Ada"]
/// ) { form in
///     try form.appendPart(withFileData: Data([137, 80]), name: "icon", fileName: "i.png", mimeType: "image/png")
/// }
/// ```
public struct AFMultipartFormData: Sendable {
    private var form = MultipartFormData()
    private var throttle: (packetSize: Int, delay: Duration)?

    init() {}

    /// Whether the form has no parts.
    var isEmpty: Bool { form.isEmpty }

    /// Appends a part for each pair. Its text is in an encoding, and data is sent as it is.
    ///
    /// - Parameters:
    ///   - pairs: The pairs.
    ///   - encoding: The encoding. Any other than UTF-8 is named by the part's content type.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` for a character that is not in the encoding.
    mutating func append(_ pairs: [ParameterPairs.Pair], in encoding: TextEncoding) throws(ApusError) {
        let type = encoding.parameter.isEmpty ? nil : "text/plain" + encoding.parameter
        for (name, value) in pairs {
            switch value {
            case .null: form.append(Data(), withName: name)
            case .data(let data): form.append(data, withName: name)
            case .text(let text):
                let data = try encoding.data(text, of: "the parameter \(Excerpt.quoted(name))")
                try form.append(data, withName: name, mimeType: type)
            }
        }
    }

    /// Appends a file under its own name, with the media type of its file extension.
    ///
    /// - Parameters:
    ///   - fileURL: The file. It is read while it is sent.
    ///   - name: The name of the form field.
    /// - Throws: `ApusError` with the code `fileUnreadable`.
    public mutating func appendPart(withFileURL fileURL: URL, name: String) throws(ApusError) {
        try form.append(fileURL, withName: name)
    }

    /// Appends a file.
    ///
    /// - Parameters:
    ///   - fileURL: The file. It is read while it is sent.
    ///   - name: The name of the form field.
    ///   - fileName: The file name that the server receives.
    ///   - mimeType: The media type.
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `multipartEncodingFailed` if the media type has control
    ///   characters.
    public mutating func appendPart(
        withFileURL fileURL: URL,
        name: String,
        fileName: String,
        mimeType: String
    ) throws(ApusError) {
        try form.append(fileURL, withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a stream that can be read only once.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - name: The name of the form field.
    ///   - fileName: The file name that the server receives.
    ///   - length: The exact number of bytes. Any other number causes an error.
    ///   - mimeType: The media type.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` if the media type has control characters.
    public mutating func appendPart<Chunks: AsyncSequence & Sendable>(
        withStream stream: Chunks,
        name: String,
        fileName: String,
        length: Int64,
        mimeType: String
    ) throws(ApusError) where Chunks.Element == BodyChunk {
        try form.append(stream, withLength: length, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends file data from memory.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - name: The name of the form field.
    ///   - fileName: The file name that the server receives.
    ///   - mimeType: The media type.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` if the media type has control characters.
    public mutating func appendPart(
        withFileData data: Data,
        name: String,
        fileName: String,
        mimeType: String
    ) throws(ApusError) {
        try form.append(data, withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends the value of a form field.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The name of the form field.
    public mutating func appendPart(withForm data: Data, name: String) {
        form.append(data, withName: name)
    }

    /// Appends a part with custom fields.
    ///
    /// - Parameters:
    ///   - headers: The fields of the part. No others are added.
    ///   - body: The body of the part.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` if a field has control characters.
    public mutating func appendPart(withHeaders headers: HTTPFields, body: Data) throws(ApusError) {
        try form.append(.bytes(body), fields: headers)
    }

    /// Limits the upload speed: the form is sent in small packets with delays between them.
    ///
    /// - Parameters:
    ///   - packetSize: The maximum size of a packet, in bytes. Default: 16 KiB.
    ///   - delay: The minimum time between packets. Default: 0.2 s.
    public mutating func throttleBandwidth(
        withPacketSize packetSize: Int = RequestBody.suggestedPacketSize,
        delay: Duration = RequestBody.suggestedPacketDelay
    ) {
        throttle = (packetSize, delay)
    }

    /// Sets the form as the body of `request`. A form without parts leaves it unchanged.
    func finalize(_ request: RequestMessage) throws(ApusError) -> RequestMessage {
        guard !isEmpty else { return request }
        var request = request
        let body = try form.makeBody()
        request.body = throttle.map { body.throttled(packetSize: $0.packetSize, delay: $0.delay) } ?? body
        request.fields[.contentType] = form.contentType
        return request
    }
}
