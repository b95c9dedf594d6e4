public import ApusCore
public import Foundation
public import HTTPTypes

extension MultipartFormData {
    /// Appends bytes, or the content of a file that is in memory.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The name of the form's field. It is written as browsers write it: quotes and line breaks escaped, in
    ///     UTF-8; so is the name of the file.
    ///   - fileName: The name of the file; none by default.
    public mutating func append(_ data: Data, withName name: String, fileName: String? = nil) {
        parts.append(MultipartPart(data, name: name, fileName: fileName))
    }

    /// Appends bytes of a media type, or the content of a file that is in memory.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file; none by default.
    ///   - mimeType: The media type; with `nil` the part says none.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a media type with control characters.
    public mutating func append(
        _ data: Data,
        withName name: String,
        fileName: String? = nil,
        mimeType: String?
    ) throws(ApusError) {
        parts.append(try MultipartPart(.memory(data), name: name, fileName: fileName, mimeType: mimeType))
    }

    /// Appends the UTF-8 of a text, as it is.
    ///
    /// - Parameters:
    ///   - string: The text.
    ///   - name: The name of the form's field.
    public mutating func append(_ string: String, withName name: String) {
        append(Data(string.utf8), withName: name)
    }

    /// Appends a file, which is read as it is sent.
    ///
    /// Its size and time of change are noted now and compared when it is opened to be sent: a file that is no longer what
    /// it was fails with `fileChanged`, at this part. A file that has bytes though its size is 0, as those of `/proc` and
    /// of some network mounts, is read to its end, and the form is sent chunked.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file for the peer; with `nil`, the default, its own.
    ///   - mimeType: The media type; with `nil`, the default, what the end of the file's own name tells, see `MediaTypes`.
    /// - Throws: `ApusError` with the code `fileUnreadable` where there is no such file, it is a folder, or it may not be
    ///   read; `multipartEncodingFailed` for a media type with control characters.
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

    /// Appends a stream that can be read once only: so can the form then.
    ///
    /// - Parameters:
    ///   - chunks: The stream.
    ///   - length: How many bytes there will be; `nil`, or a negative number, where that is not known, and the form is
    ///     sent chunked. A stream that has more or fewer fails, at this part.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file; none by default.
    ///   - mimeType: The media type; with `nil`, the default, the part says none.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a media type with control characters.
    public mutating func append<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        withLength length: Int64?,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(ApusError) where Chunks.Element == BodyChunk {
        try append(.once(length: length, chunks), withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a stream that can be made afresh, so that the form can be sent again: for a redirect, or a retry.
    ///
    /// - Parameters:
    ///   - length: How many bytes there will be; `nil`, or a negative number, where that is not known, and the form is
    ///     sent chunked. A stream that has more or fewer fails, at this part.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file; none by default.
    ///   - mimeType: The media type; with `nil`, the default, the part says none.
    ///   - make: Makes the stream, for each attempt.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a media type with control characters.
    public mutating func append<Chunks: AsyncSequence & SendableMetatype>(
        withLength length: Int64?,
        name: String,
        fileName: String? = nil,
        mimeType: String? = nil,
        _ make: @escaping @Sendable () async throws -> Chunks
    ) throws(ApusError) where Chunks.Element == BodyChunk {
        try append(.replayable(length: length, make), withName: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends a content of any kind: a part of a file, for example.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - name: The name of the form's field.
    ///   - fileName: The name of the file; none by default.
    ///   - mimeType: The media type; with `nil`, the default, the part says none.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a media type with control characters.
    public mutating func append(
        _ body: RequestBody,
        withName name: String,
        fileName: String? = nil,
        mimeType: String? = nil
    ) throws(ApusError) {
        let content = MultipartPart.Content(body)
        parts.append(try MultipartPart(content, name: name, fileName: fileName, mimeType: mimeType))
    }

    /// Appends a part with fields of its own, which needs no name: for contents that are no forms.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - fields: The part's fields, written as they are; none are added to them.
    /// - Throws: `ApusError` with the code `multipartEncodingFailed`, for a field with control characters.
    public mutating func append(_ body: RequestBody, fields: HTTPFields) throws(ApusError) {
        parts.append(try MultipartPart(body, fields: fields, number: parts.count + 1))
    }
}
