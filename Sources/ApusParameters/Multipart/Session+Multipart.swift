public import ApusCore
public import HTTPTypes

extension Session {
    /// Creates a request that uploads a multipart form, with a handle.
    ///
    /// ```swift
    /// var form = MultipartFormData()
    /// form.append("Ada", withName: "name")
    /// try form.append(portrait, withName: "portrait")
    /// let user = try await session.upload(multipartFormData: form, to: "https://api.example.org/users")
    ///     .validate().serializingDecodable(User.self).value
    /// ```
    ///
    /// Its `Content-Type` is the form's, even if `fields` has one.
    ///
    /// - Parameters:
    ///   - multipartFormData: The form.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - options: The options that override the session's for this request.
    ///   - encodingMemoryThreshold: The length in bytes below which a form with all parts in memory is encoded before
    ///     it is sent. Default: 10,000,000.
    ///   - modifier: Modifies the request before its body is set. Default: `nil`.
    /// - Returns: The handle. Errors in the form are reported like any other failure, when the response is awaited.
    public func upload(
        multipartFormData: MultipartFormData,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        encodingMemoryThreshold: Int = MultipartFormData.encodingMemoryThreshold,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let upload = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { request in
            try request.fill(with: multipartFormData, encodingMemoryThreshold)
        }
        return request(upload, options: options)
    }

    /// Creates a request that uploads a multipart form, with a handle. The form is built when the request starts.
    ///
    /// - Parameters:
    ///   - build: Appends the parts to the form. Called on the global executor, each time the request is created. If it
    ///     throws, the request fails with that error.
    ///   - url: The URL of the request.
    ///   - method: The method. Default: POST.
    ///   - fields: The header fields. The session's fields are added to them.
    ///   - options: The options that override the session's for this request.
    ///   - encodingMemoryThreshold: The length in bytes below which a form with all parts in memory is encoded before
    ///     it is sent. Default: 10,000,000.
    ///   - modifier: Modifies the request before its body is set. Default: `nil`.
    /// - Returns: The handle.
    public func upload(
        multipartFormData build: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        encodingMemoryThreshold: Int = MultipartFormData.encodingMemoryThreshold,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let upload = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { request in
            var form = MultipartFormData()
            try build(&form)
            try request.fill(with: form, encodingMemoryThreshold)
        }
        return request(upload, options: options)
    }

    /// Creates a request that uploads a multipart form, from a type that builds requests.
    ///
    /// The body and the `Content-Type` of the built request are replaced by those of the form.
    ///
    /// - Parameters:
    ///   - multipartFormData: The form.
    ///   - convertible: Builds the request. Called on the global executor, each time the request is created.
    ///   - options: The options that override the session's for this request.
    ///   - encodingMemoryThreshold: The length in bytes below which a form with all parts in memory is encoded before
    ///     it is sent. Default: 10,000,000.
    /// - Returns: The handle. Errors in the form are reported like any other failure, when the response is awaited.
    public func upload(
        multipartFormData: MultipartFormData,
        with convertible: some RequestConvertible,
        options: RequestOptions = .none,
        encodingMemoryThreshold: Int = MultipartFormData.encodingMemoryThreshold
    ) -> DataRequest {
        let upload = FilledRequest(request: convertible) { request in
            try request.fill(with: multipartFormData, encodingMemoryThreshold)
        }
        return request(upload, options: options)
    }

    /// Creates a request that uploads a multipart form, from a type that builds requests. The form is built when the
    /// request starts.
    ///
    /// The body and the `Content-Type` of the built request are replaced by those of the form.
    ///
    /// - Parameters:
    ///   - build: Appends the parts to the form. Called on the global executor, each time the request is created. If it
    ///     throws, the request fails with that error.
    ///   - convertible: Builds the request. Called before `build`.
    ///   - options: The options that override the session's for this request.
    ///   - encodingMemoryThreshold: The length in bytes below which a form with all parts in memory is encoded before
    ///     it is sent. Default: 10,000,000.
    /// - Returns: The handle.
    public func upload(
        multipartFormData build: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        with convertible: some RequestConvertible,
        options: RequestOptions = .none,
        encodingMemoryThreshold: Int = MultipartFormData.encodingMemoryThreshold
    ) -> DataRequest {
        let upload = FilledRequest(request: convertible) { request in
            var form = MultipartFormData()
            try build(&form)
            try request.fill(with: form, encodingMemoryThreshold)
        }
        return request(upload, options: options)
    }

    /// Sends a multipart form with POST and returns the complete response.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - multipart: The form.
    ///   - fields: The header fields. The session's fields are added, and `Content-Type` is replaced by the form's.
    ///   - options: The options that override the session's for this request.
    ///   - encodingMemoryThreshold: The length in bytes below which a form with all parts in memory is encoded before
    ///     it is sent. Default: 10,000,000.
    /// - Returns: The response, with any status code.
    /// - Throws: `ApusError`: `multipartEncodingFailed`, `fileChanged` or `fileUnreadable` if a part can't be sent, or
    ///   any error of a request.
    ///
    /// ## Cancellation
    /// Cancelling the task cancels the exchange and closes its connection (HTTP/1.1).
    public func post(
        _ url: some URLConvertible,
        multipart: MultipartFormData,
        fields: RequestFields = [:],
        options: RequestOptions = .none,
        encodingMemoryThreshold: Int = MultipartFormData.encodingMemoryThreshold
    ) async throws(ApusError) -> Response {
        let upload = ModifiedRequest(url: url, method: .post, fields: fields, modifier: nil) { request in
            try request.fill(with: multipart, encodingMemoryThreshold)
        }
        return try await send(upload, options: options)
    }
}

extension RequestMessage {
    fileprivate mutating func fill(with form: MultipartFormData, _ encodingMemoryThreshold: Int) throws(ApusError) {
        body = try form.makeBody(encodingMemoryThreshold: encodingMemoryThreshold)
        fields[.contentType] = form.contentType
    }
}
