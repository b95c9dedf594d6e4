public import ApusCore
public import HTTPTypes

extension Session {
    /// Makes a request that sends a form with files, with a handle.
    ///
    /// ```swift
    /// var form = MultipartFormData()
    /// form.append("Ada", withName: "name")
    /// try form.append(portrait, withName: "portrait")
    /// let user = try await session.upload(multipartFormData: form, to: "https://api.example.org/users")
    ///     .validate().serializingDecodable(User.self).value
    /// ```
    ///
    /// Its `Content-Type` is the form's, whatever the fields say.
    ///
    /// - Parameters:
    ///   - multipartFormData: The form.
    ///   - url: What the request is for.
    ///   - method: The method; POST by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - options: What this request sets otherwise than the session.
    ///   - encodingMemoryThreshold: The length in bytes below which parts in memory are put together before they are
    ///     sent; 10,000,000 by default.
    ///   - modifier: Changes the request as it is made, ahead of its content; nothing by default.
    /// - Returns: The handle. What is wrong with the form is reported like any other failure, to whoever asks for the
    ///   answer.
    public func upload(
        multipartFormData: MultipartFormData,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: HTTPFields = [:],
        options: RequestOptions = .none,
        encodingMemoryThreshold: Int = MultipartFormData.encodingMemoryThreshold,
        modifier: RequestModifier? = nil
    ) -> DataRequest {
        let upload = ModifiedRequest(url: url, method: method, fields: fields, modifier: modifier) { request in
            try request.fill(with: multipartFormData, encodingMemoryThreshold)
        }
        return request(upload, options: options)
    }

    /// Makes a request that sends a form with files, with a handle; the form is put together when the request starts.
    ///
    /// - Parameters:
    ///   - build: Puts the parts into the form. It is called on the global executor, for each time that the request is
    ///     made, and what it throws is the failure of the request.
    ///   - url: What the request is for.
    ///   - method: The method; POST by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - options: What this request sets otherwise than the session.
    ///   - encodingMemoryThreshold: The length in bytes below which parts in memory are put together before they are
    ///     sent; 10,000,000 by default.
    ///   - modifier: Changes the request as it is made, ahead of its content; nothing by default.
    /// - Returns: The handle.
    public func upload(
        multipartFormData build: @escaping @Sendable (inout MultipartFormData) throws -> Void,
        to url: some URLConvertible,
        method: HTTPRequest.Method = .post,
        fields: HTTPFields = [:],
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

    /// POSTs a form with files, and collects the answer.
    ///
    /// - Parameters:
    ///   - url: What the request is for.
    ///   - multipart: The form.
    ///   - fields: The fields; the session's own are added to them, and the `Content-Type` is the form's.
    ///   - options: What this request sets otherwise than the session.
    ///   - encodingMemoryThreshold: The length in bytes below which parts in memory are put together before they are
    ///     sent; 10,000,000 by default.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `ApusError`: `multipartEncodingFailed`, `fileChanged` or `fileUnreadable` where a part can't be sent, or
    ///   what any request throws.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the exchange: the connection is closed (HTTP/1.1).
    public func post(
        _ url: some URLConvertible,
        multipart: MultipartFormData,
        fields: HTTPFields = [:],
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
