public import ApusCore
public import Foundation
public import HTTPTypes

extension MultipartFormData {
    /// Appends data, or a file's contents in memory.
    ///
    /// - Parameters:
    ///   - data: The body of the part.
    ///   - name: The name of the form field. Like the file name, it is written in UTF-8 as browsers do, with quotes and
    ///     line breaks escaped.
    ///   - fileName: The file name. Default: none.
    public mutating func append(_ data: Data, withName name: String, fileName: String? = nil) {
        parts.append(MultipartPart(data, name: name, fileName: fileName))
    }

    /// Appends data with a media type, or a file's contents in memory.
    ///
    /// - Parameters:
    ///   - data: The body of the part.
    ///   - name: The name of the form field.
    ///   - fileName: The file name. Default: none.
    ///   - mimeType: The media type. With `nil` the part has none.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` for a media type with control characters.
    public mutating func append(
        _ data: Data,
        withName name: String,
        fileName: String? = nil,
        mimeType: String?
    ) throws(ApusError) {
        parts.append(try MultipartPart(.memory(data), name: name, fileName: fileName, mimeType: mimeType))
    }

    /// Appends a text as UTF-8.
    ///
    /// - Parameters:
    ///   - string: The text.
    ///   - name: The name of the form field.
    public mutating func append(_ string: String, withName name: String) {
        append(Data(string.utf8), withName: name)
    }

    /// Appends a file, which is read while it is sent.
    ///
    /// Its size and modification time are recorded now and compared when it is opened. If it has changed, this part
    /// fails with `fileChanged`. A file of size 0 that has bytes, as in `/proc` and on some network mounts, is read to
    /// its end, and the form is sent chunked.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - name: The name of the form field.
    ///   - fileName: The file name sent to the server. Default: the file's own name.
    ///   - mimeType: The media type. Default: the type for the file's own extension, see `MediaTypes`.
    /// - Throws: `ApusError` with the code `fileUnreadable` if the file does not exist, is a folder, or can't be read,
    ///   or `multipartEncodingFailed` for a media type with control characters.
    public mutating func append(
        _ fileURL: URL,
        withName name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(ApusError) {
        let body: RequestBody
        do throws(ApusError) {
            body = try .file(fileURL)
        } catch {
            throw MultipartPart.failure(error, of: MultipartPart.label(of: name))
        }
        try append(
            body,
            withName: name,
            fileName: fileName ?? fileURL.lastPathComponent,
            mimeType: mimeType ?? MediaTypes.type(forExtension: fileURL.pathExtension)
        )
    }

    /// Appends a stream that can be read only once. The form can then be sent only once too.
    ///
    /// - Parameters:
    ///   - chunks: The stream.
    ///   - length: The number of bytes. If `nil` or negative, the form is sent chunked. A stream of another length
    ///     fails at this part.
    ///   - name: The name of the form field.
    ///   - fileName: The file name. Default: none.
    ///   - mimeType: The media type. With `nil` the part has none. Default: `nil`.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` for a media type with control characters.
    public mutating func append<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        withLength length: Int64?,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(ApusError) where Chunks.Element == BodyChunk {
        try append(.once(length: length, chunks), withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a stream that can be created again, so that the form can be resent for a redirect or a retry.
    ///
    /// - Parameters:
    ///   - length: The number of bytes. If `nil` or negative, the form is sent chunked. A stream of another length
    ///     fails at this part.
    ///   - name: The name of the form field.
    ///   - fileName: The file name. Default: none.
    ///   - mimeType: The media type. With `nil` the part has none. Default: `nil`.
    ///   - make: Creates the stream. Called for each attempt.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` for a media type with control characters.
    public mutating func append<Chunks: AsyncSequence & SendableMetatype>(
        withLength length: Int64?,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil,
        _ make: @escaping @Sendable () async throws -> Chunks
    ) throws(ApusError) where Chunks.Element == BodyChunk {
        try append(.replayable(length: length, make), withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends any body, such as a part of a file.
    ///
    /// - Parameters:
    ///   - body: The body of the part.
    ///   - name: The name of the form field.
    ///   - fileName: The file name. Default: none.
    ///   - mimeType: The media type. With `nil` the part has none. Default: `nil`.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` for a media type with control characters.
    public mutating func append(
        _ body: RequestBody,
        withName name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(ApusError) {
        let content = MultipartPart.Content(body)
        parts.append(try MultipartPart(content, name: name, fileName: fileName, mimeType: mimeType))
    }

    /// Appends a part with custom fields and no name, for multipart bodies that are not forms.
    ///
    /// - Parameters:
    ///   - body: The body of the part.
    ///   - fields: The part's fields. They are written unchanged, and none are added.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed` for a field with control characters.
    public mutating func append(_ body: RequestBody, fields: HTTPFields) throws(ApusError) {
        parts.append(try MultipartPart(body, fields: fields, number: parts.count + 1))
    }
}
