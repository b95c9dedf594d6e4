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
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        upload(.bytes(data), to: url, method: method, fields: fields, options: options, modifier: modifier)
    }

    /// Creates a request that uploads a file, which is read while it is sent.
    ///
    /// The file is checked when the request starts, and anew for each retry, which sends the file as it is then. If the
    /// request has no `Content-Type`, it is set by the file's extension, see `MediaTypes`.
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
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let upload = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { request in
            try request.fill(with: fileURL)
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
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let upload = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { $0.body = body }
        return request(upload, options: options)
    }
}

/// Upload requests whose method, URL and fields come from a type that builds requests, such as your own router. The
/// body of the built request is replaced. A GET or HEAD can't have a body, so the built request needs another method.
extension Session {
    /// Creates a request that uploads data, from a type that builds requests.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - convertible: Builds the request. Called on the global executor, each time the request is created.
    ///   - options: The options that override the session's for this request.
    /// - Returns: The handle.
    public func upload(
        _ data: Data,
        with convertible: some RequestConvertible,
        options: RequestOptions = .none
    ) -> DataRequest {
        upload(.bytes(data), with: convertible, options: options)
    }

    /// Creates a request that uploads a file, from a type that builds requests. The file is read while it is sent.
    ///
    /// The file is checked when the request starts, and anew for each retry, which sends the file as it is then. If the
    /// built request has no `Content-Type`, it is set by the file's extension, see `MediaTypes`.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - convertible: Builds the request. Called on the global executor, each time the request is created.
    ///   - options: The options that override the session's for this request.
    /// - Returns: The handle.
    public func upload(
        _ fileURL: URL,
        with convertible: some RequestConvertible,
        options: RequestOptions = .none
    ) -> DataRequest {
        request(FilledRequest(request: convertible) { try $0.fill(with: fileURL) }, options: options)
    }

    /// Creates a request that uploads any body, from a type that builds requests.
    ///
    /// - Parameters:
    ///   - body: The body: a stream, or a part of a file.
    ///   - convertible: Builds the request. Called on the global executor, each time the request is created.
    ///   - options: The options that override the session's for this request.
    /// - Returns: The handle.
    public func upload(
        _ body: RequestBody,
        with convertible: some RequestConvertible,
        options: RequestOptions = .none
    ) -> DataRequest {
        request(FilledRequest(request: convertible) { $0.body = body }, options: options)
    }
}

extension RequestMessage {
    /// Sets a file as the body, and its content type unless the request has one.
    fileprivate mutating func fill(with fileURL: URL) throws(ApusError) {
        body = try .file(fileURL)
        guard !fields.contains(.contentType) else { return }
        fields[.contentType] = MediaTypes.type(forExtension: fileURL.pathExtension)
    }
}
