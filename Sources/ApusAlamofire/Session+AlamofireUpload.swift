public import Apus
public import Foundation
public import HTTPTypes

/// Uploads with Alamofire's labels.
extension Session {
    /// Creates a request that uploads data, with a handle.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before its body is set. Default: `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func upload(
        _ data: Data,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(data, to: url, method: method, fields: headers ?? [:], modifier: requestModifier)
            .intercepted(by: interceptor)
    }

    /// Creates a request that uploads a file, with a handle. The file is read while it is sent.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before its body is set. Default: `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func upload(
        _ fileURL: URL,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(fileURL, to: url, method: method, fields: headers ?? [:], modifier: requestModifier)
            .intercepted(by: interceptor)
    }

    /// Creates a request that uploads data, from a type that builds requests, with a handle.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - convertible: Builds the request.
    ///   - interceptor: Adapts the request and decides about retries, after the session's.
    /// - Returns: The handle.
    public func upload(
        _ data: Data,
        with convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)?
    ) -> UploadRequest {
        upload(data, with: convertible).intercepted(by: interceptor)
    }

    /// Creates a request that uploads a file, from a type that builds requests, with a handle.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - convertible: Builds the request.
    ///   - interceptor: Adapts the request and decides about retries, after the session's.
    /// - Returns: The handle.
    public func upload(
        _ fileURL: URL,
        with convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)?
    ) -> UploadRequest {
        upload(fileURL, with: convertible).intercepted(by: interceptor)
    }

    /// Creates a request that uploads a stream of Foundation, with a handle. The stream is read once, while it is sent.
    ///
    /// The request takes the stream over. If a redirect, a challenge or a retry needs the body again, the request fails
    /// with `bodyNotReplayable`. `upload(.inputStream { … }, to: url)` makes a new stream for each time.
    ///
    /// - Parameters:
    ///   - stream: The body, which is sent chunked. The caller must not use it any more.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before its body is set. Default: `nil`.
    /// - Returns: The handle.
    public func upload(
        _ stream: sending InputStream,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let body = RequestBody.inputStream(stream)
        return upload(body, to: url, method: method, fields: headers ?? [:], modifier: requestModifier)
            .intercepted(by: interceptor)
    }

    /// Creates a request that uploads a stream of Foundation, from a type that builds requests, with a handle. The
    /// stream is read once, while it is sent.
    ///
    /// - Parameters:
    ///   - stream: The body, which is sent chunked. The caller must not use it any more.
    ///   - convertible: Builds the request.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    /// - Returns: The handle.
    public func upload(
        _ stream: sending InputStream,
        with convertible: some RequestConvertible,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(RequestBody.inputStream(stream), with: convertible).intercepted(by: interceptor)
    }
}
