public import Apus
public import HTTPTypes

/// Requests by method, URL and parameters, for those who await the answer; what is said of the closures' variants holds.
///
/// A refused answer is an `ApusError`, with the content in `data`.
///
/// ## Cancellation
/// Cancelling the task cancels the request; see `SessionTask.cancel()`.
nonisolated extension HTTPSessionManager {
    /// The object that was made of an answer, `nil` where there was nothing to make it of, and the head.
    public typealias Answer<Object> = (object: Object?, response: HTTPResponse)

    /// Asks for something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - progress: Told how much of the answer's content is here.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func get(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<any Sendable> {
        try await anyAnswer(
            try core.request(.get, urlString, parameters, headers),
            responseSerializer,
            downloadProgress: progress
        )
    }

    /// Asks for something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - serializer: What makes an object of the answer, in place of the manager's.
    ///   - progress: Told how much of the answer's content is here.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func get<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
        try await answer(try core.request(.get, urlString, parameters, headers), serializer, downloadProgress: progress)
    }

    /// Asks for the head of something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    /// - Returns: The head.
    /// - Throws: `ApusError`.
    public func head(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:]
    ) async throws(ApusError) -> HTTPResponse {
        try await anyAnswer(try core.request(.head, urlString, parameters, headers), responseSerializer).response
    }

    /// Sends something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - progress: Told how much of the request's content was sent.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func post(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<any Sendable> {
        try await anyAnswer(
            try core.request(.post, urlString, parameters, headers),
            responseSerializer,
            uploadProgress: progress
        )
    }

    /// Sends something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - serializer: What makes an object of the answer, in place of the manager's.
    ///   - progress: Told how much of the request's content was sent.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        serializer: Serializer,
        progress: ProgressBlock? = nil
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
        try await answer(try core.request(.post, urlString, parameters, headers), serializer, uploadProgress: progress)
    }

    /// Sends a form with files, streamed from where they are.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The first parts of the form; none by default.
    ///   - headers: Fields of this request alone; none by default. The form keeps its own `Content-Type`.
    ///   - progress: Told how much of the form was sent.
    ///   - build: Appends further parts; it is called here and now.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func post(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        progress: ProgressBlock? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) async throws(ApusError) -> Answer<any Sendable> {
        let request = try core.formRequest(urlString, parameters, headers, build)
        return try await anyForm(request, responseSerializer, progress)
    }

    /// Sends a form with files, streamed from where they are.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: The first parts of the form; none by default.
    ///   - headers: Fields of this request alone; none by default. The form keeps its own `Content-Type`.
    ///   - serializer: What makes an object of the answer, in place of the manager's.
    ///   - progress: Told how much of the form was sent.
    ///   - build: Appends further parts; it is called here and now.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func post<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        serializer: Serializer,
        progress: ProgressBlock? = nil,
        constructingBodyWith build: (inout AFMultipartFormData) throws -> Void
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
        let request = try core.formRequest(urlString, parameters, headers, build)
        return try await form(request, serializer, progress)
    }

    /// Puts something in its place.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func put(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:]
    ) async throws(ApusError) -> Answer<any Sendable> {
        try await anyAnswer(try core.request(.put, urlString, parameters, headers), responseSerializer)
    }

    /// Puts something in its place.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - serializer: What makes an object of the answer, in place of the manager's.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func put<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        serializer: Serializer
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
        try await answer(try core.request(.put, urlString, parameters, headers), serializer)
    }

    /// Changes a part of something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func patch(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:]
    ) async throws(ApusError) -> Answer<any Sendable> {
        try await anyAnswer(try core.request(.patch, urlString, parameters, headers), responseSerializer)
    }

    /// Changes a part of something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - serializer: What makes an object of the answer, in place of the manager's.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func patch<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        serializer: Serializer
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
        try await answer(try core.request(.patch, urlString, parameters, headers), serializer)
    }

    /// Deletes something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func delete(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:]
    ) async throws(ApusError) -> Answer<any Sendable> {
        try await anyAnswer(try core.request(.delete, urlString, parameters, headers), responseSerializer)
    }

    /// Deletes something.
    ///
    /// - Parameters:
    ///   - urlString: The URL.
    ///   - parameters: What is to be sent; nothing by default.
    ///   - headers: Fields of this request alone; none by default.
    ///   - serializer: What makes an object of the answer, in place of the manager's.
    /// - Returns: The object and the head.
    /// - Throws: `ApusError`.
    public func delete<Serializer: AFURLResponseSerialization>(
        _ urlString: String,
        parameters: Parameters? = nil,
        headers: HTTPFields = [:],
        serializer: Serializer
    ) async throws(ApusError) -> Answer<Serializer.ResponseObject> {
        try await answer(try core.request(.delete, urlString, parameters, headers), serializer)
    }
}
