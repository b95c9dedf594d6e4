public import ApusCore
public import Foundation
public import HTTPTypes

/// Requests whose content is at hand already, with handles; an error of the content is reported like any other failure,
/// to whoever asks for the answer.
extension Session {
    /// Makes a request that sends bytes.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - url: What the request is for.
    ///   - method: The method; POST by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - options: What this request sets otherwise than the session.
    ///   - modifier: Changes the request as it is made, ahead of its content; nothing by default.
    /// - Returns: The handle.
    public func upload(
        _ data: Data,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        upload(.bytes(data), to: url, method: method, fields: fields, options: options, modifier: modifier)
    }

    /// Makes a request that sends a file, read as it is sent.
    ///
    /// The file is looked at when the request starts. It has the media type that its name tells, see `MediaTypes`, unless
    /// the request has a `Content-Type`.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - url: What the request is for.
    ///   - method: The method; POST by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - options: What this request sets otherwise than the session.
    ///   - modifier: Changes the request as it is made, ahead of its content; nothing by default.
    /// - Returns: The handle.
    public func upload(
        _ fileURL: URL,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let upload = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { request in
            request.body = try .file(fileURL)
            guard !request.fields.contains(.contentType) else { return }
            request.fields[.contentType] = MediaTypes.type(forExtension: fileURL.pathExtension)
        }
        return request(upload, options: options)
    }

    /// Makes a request that sends a content of any kind: a stream, or a part of a file.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - url: What the request is for.
    ///   - method: The method; POST by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - options: What this request sets otherwise than the session.
    ///   - modifier: Changes the request as it is made, ahead of its content; nothing by default.
    /// - Returns: The handle.
    public func upload(
        _ body: RequestBody,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let upload = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { $0.body = body }
        return request(upload, options: options)
    }
}
