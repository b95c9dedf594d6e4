public import ApusCore
public import Foundation
public import HTTPTypes

/// Upload requests with handles. Errors of the body are reported like any other failure, when the response is awaited.
extension Session {
    /// Creates a request that uploads data.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request before its body is set. Default: `nil`.
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

    /// Creates a request that uploads a file, which is read while it is sent.
    ///
    /// The file is checked when the request starts. If the request has no `Content-Type`, it is set by the file's
    /// extension, see `MediaTypes`.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request before its body is set. Default: `nil`.
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

    /// Creates a request that uploads any body: a stream, or a part of a file.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - options: The options that override the session's for this request.
    ///   - modifier: Modifies the request before its body is set. Default: `nil`.
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
