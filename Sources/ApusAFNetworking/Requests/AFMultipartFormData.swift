public import Apus
public import Foundation
public import HTTPTypes

/// A form with files as it is put together, under AFNetworking's names; `MultipartFormData` is what it is made of.
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
    /// Whether there is no part.
    private(set) var isEmpty = true

    init() {}

    /// Appends a file under its own name, with the media type that the end of its name tells.
    ///
    /// - Parameters:
    ///   - fileURL: The file, which is read as it is sent.
    ///   - name: The name of the form's field.
    /// - Throws: `ApusError` with the code `fileUnreadable`.
    public mutating func appendPart(withFileURL fileURL: URL, name: String) throws(ApusError) {
        try form.append(fileURL, withName: name)
        isEmpty = false
    }

    /// Appends a file.
    ///
    /// - Parameters:
    ///   - fileURL: The file, which is read as it is sent.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file for the peer.
    ///   - mimeType: The media type.
    /// - Throws: `ApusError` with the code `fileUnreadable`, or `multipartEncodingFailed` for a media type with control
    ///   characters.
    public mutating func appendPart(
        withFileURL fileURL: URL,
        name: String,
        fileName: String,
        mimeType: String
    ) throws(ApusError) {
        try form.append(fileURL, withName: name, fileName: fileName, mimeType: mimeType)
        isEmpty = false
    }

    /// Appends a stream that can be read once.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file for the peer.
    ///   - length: How many bytes there will be; more or fewer fail.
    ///   - mimeType: The media type.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a media type with control characters.
    public mutating func appendPart<Chunks: AsyncSequence & Sendable>(
        withStream stream: Chunks,
        name: String,
        fileName: String,
        length: Int64,
        mimeType: String
    ) throws(ApusError) where Chunks.Element == BodyChunk {
        try form.append(stream, withLength: length, name: name, fileName: fileName, mimeType: mimeType)
        isEmpty = false
    }

    /// Appends the content of a file that is in memory.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file for the peer.
    ///   - mimeType: The media type.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a media type with control characters.
    public mutating func appendPart(
        withFileData data: Data,
        name: String,
        fileName: String,
        mimeType: String
    ) throws(ApusError) {
        try form.append(data, withName: name, fileName: fileName, mimeType: mimeType)
        isEmpty = false
    }

    /// Appends the value of a field.
    ///
    /// - Parameters:
    ///   - data: The value.
    ///   - name: The name of the form's field.
    public mutating func appendPart(withForm data: Data, name: String) {
        form.append(data, withName: name)
        isEmpty = false
    }

    /// Appends a part with fields of its own.
    ///
    /// - Parameters:
    ///   - headers: The fields; none are added to them.
    ///   - body: The content.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a field with control characters.
    public mutating func appendPart(withHeaders headers: HTTPFields, body: Data) throws(ApusError) {
        try form.append(.bytes(body), fields: headers)
        isEmpty = false
    }

    /// Has the form sent in small packets with pauses between them.
    ///
    /// - Parameters:
    ///   - packetSize: The most bytes that are handed on at once; 16 KiB by default.
    ///   - delay: The least time from one packet to the next; 0.2 s by default.
    public mutating func throttleBandwidth(
        withPacketSize packetSize: Int = RequestBody.suggestedPacketSize,
        delay: Duration = RequestBody.suggestedPacketDelay
    ) {
        throttle = (packetSize, delay)
    }

    /// Gives `request` the form as its content; one without a part leaves the request as it is.
    func finalize(_ request: RequestMessage) throws(ApusError) -> RequestMessage {
        guard !isEmpty else { return request }
        var request = request
        let body = try form.makeBody()
        request.body = throttle.map { body.throttled(packetSize: $0.packetSize, delay: $0.delay) } ?? body
        request.fields[.contentType] = form.contentType
        return request
    }
}
