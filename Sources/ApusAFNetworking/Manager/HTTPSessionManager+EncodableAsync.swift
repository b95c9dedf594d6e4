public import Apus
public import HTTPTypes

/// Async requests with parameters of any `Encodable` type: a dictionary in a variable, an array, or a type of your own.
///
/// They follow the same rules as the variants with `AFParameters`, which a literal selects.
extension HTTPSessionManager {
    /// Sends a GET request with parameters of any type.
    @_disfavoredOverload
    public func get(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        try await get(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            progress: progress
        )
    }

    /// Sends a HEAD request with parameters of any type.
    @_disfavoredOverload
    public func head(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> HTTPResponse {
        try await head(urlString, parameters: AFParameters(parameters), headers: headers, options: options)
    }

    /// Sends a POST request with parameters of any type.
    @_disfavoredOverload
    public func post(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        try await post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            progress: progress
        )
    }

    /// Sends a POST request with a multipart form, whose first parts are parameters of any type.
    @_disfavoredOverload
    public func post(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        progress: ProgressBlock? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        try await post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            progress: progress,
            constructingBodyWith: build
        )
    }

    /// Sends a PUT request with parameters of any type.
    @_disfavoredOverload
    public func put(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        try await put(urlString, parameters: AFParameters(parameters), headers: headers, options: options)
    }

    /// Sends a PATCH request with parameters of any type.
    @_disfavoredOverload
    public func patch(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        try await patch(urlString, parameters: AFParameters(parameters), headers: headers, options: options)
    }

    /// Sends a DELETE request with parameters of any type.
    @_disfavoredOverload
    public func delete(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> ObjectResponse<any Sendable> {
        try await delete(urlString, parameters: AFParameters(parameters), headers: headers, options: options)
    }

    /// Sends a GET request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    public func get<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await get(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            progress: progress
        )
    }

    /// Sends a POST request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            progress: progress
        )
    }

    /// Sends a POST request with a multipart form, whose first parts are parameters of any type, and with a
    /// response serializer of its own.
    @_disfavoredOverload
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer,
        progress: ProgressBlock? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await post(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer,
            progress: progress,
            constructingBodyWith: build
        )
    }

    /// Sends a PUT request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    public func put<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await put(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer
        )
    }

    /// Sends a PATCH request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    public func patch<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await patch(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer
        )
    }

    /// Sends a DELETE request with parameters of any type, and with a response serializer of its own.
    @_disfavoredOverload
    public func delete<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: some Encodable & Sendable,
        headers: RequestFields = [:],
        options: RequestOptions = .none,
        serializer: Serializer
    ) async throws(ApusError) -> ObjectResponse<Serializer.ResponseObject> {
        try await delete(
            urlString,
            parameters: AFParameters(parameters),
            headers: headers,
            options: options,
            serializer: serializer
        )
    }
}
