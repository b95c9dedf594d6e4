public import Apus
public import HTTPTypes

/// Multipart uploads with Alamofire's labels. `threshold` is the length in bytes below which a form with all parts in
/// memory is encoded before it is sent. A longer form is streamed, and not written to a file.
extension Session {
    /// Creates a request that uploads a multipart form, with a handle.
    ///
    /// ```swift
    /// AF.upload(
    ///     multipartFormData: { form in form.append(Data("Ada".utf8), withName: "name") },
    ///     to: "https://api.example.org/users",
    ///     headers: headers
    /// )
    /// .responseDecodable(of: User.self) { print($0.result) }
    /// ```
    ///
    /// - Parameters:
    ///   - build: Appends the parts to the form. Called on the global executor, each time the request is created.
    ///   - url: The URL of the request.
    ///   - threshold: The length in bytes below which a form in memory is encoded before it is sent. Default:
    ///     10,000,000.
    ///   - method: The method. Default: POST.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before its body is set. Default: `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func upload(
        multipartFormData build: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        to url: some URLConvertible,
        usingThreshold threshold: Int = MultipartFormData.encodingMemoryThreshold,
        method: HTTPRequest.Method = .post,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            multipartFormData: build,
            to: url,
            method: method,
            fields: headers ?? [:],
            encodingMemoryThreshold: threshold,
            modifier: requestModifier
        )
        .intercepted(by: interceptor)
    }

    /// Creates a request that uploads a multipart form, with a handle.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - url: The URL of the request.
    ///   - threshold: The length in bytes below which a form in memory is encoded before it is sent. Default:
    ///     10,000,000.
    ///   - method: The method. Default: POST.
    ///   - headers: The fields. The session's fields are added to them. Default: none.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    ///   - requestModifier: Modifies the request before its body is set. Default: `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func upload(
        multipartFormData form: MultipartFormData,
        to url: some URLConvertible,
        usingThreshold threshold: Int = MultipartFormData.encodingMemoryThreshold,
        method: HTTPRequest.Method = .post,
        headers: RequestFields? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(
            multipartFormData: form,
            to: url,
            method: method,
            fields: headers ?? [:],
            encodingMemoryThreshold: threshold,
            modifier: requestModifier
        )
        .intercepted(by: interceptor)
    }

    /// Creates a request that uploads a multipart form, from a type that builds requests, with a handle.
    ///
    /// - Parameters:
    ///   - build: Appends the parts to the form. Called on the global executor, each time the request is created.
    ///   - convertible: Builds the request.
    ///   - threshold: The length in bytes below which a form in memory is encoded before it is sent. Default:
    ///     10,000,000.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func upload(
        multipartFormData build: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        with convertible: some RequestConvertible,
        usingThreshold threshold: Int = MultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(multipartFormData: build, with: convertible, encodingMemoryThreshold: threshold)
            .intercepted(by: interceptor)
    }

    /// Creates a request that uploads a multipart form, from a type that builds requests, with a handle.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - convertible: Builds the request.
    ///   - threshold: The length in bytes below which a form in memory is encoded before it is sent. Default:
    ///     10,000,000.
    ///   - interceptor: Adapts the request and decides about retries, after the session's. Default: `nil`.
    /// - Returns: The handle.
    @_disfavoredOverload
    public func upload(
        multipartFormData form: MultipartFormData,
        with convertible: some RequestConvertible,
        usingThreshold threshold: Int = MultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(multipartFormData: form, with: convertible, encodingMemoryThreshold: threshold)
            .intercepted(by: interceptor)
    }
}
