public import Foundation
public import HTTPTypes

/// The direct calls. They return a complete response with any status. `validate()` rejects an unsuccessful one.
extension Session {
    /// Sends a GET request.
    public func get(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .get, query, fields, .none, options).response()
    }

    /// Sends a HEAD request.
    public func head(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .head, query, fields, .none, options).response()
    }

    /// Sends a POST request with `body`.
    public func post(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .post, query, fields, body, options).response()
    }

    /// Sends a PUT request with `body`.
    public func put(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .put, query, fields, body, options).response()
    }

    /// Sends a PATCH request with `body`.
    public func patch(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .patch, query, fields, body, options).response()
    }

    /// Sends a DELETE request.
    public func delete(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .delete, query, fields, body, options).response()
    }

    /// Sends a request and collects its response.
    ///
    /// - Parameters:
    ///   - request: The request, or a type that builds it.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The response, with any status.
    /// - Throws: `ApusError`, also if the task is cancelled.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the exchange and closes the connection (HTTP/1.1).
    public func send(
        _ request: some RequestConvertible,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(request, options).response()
    }

    private func call(
        _ url: some URLConvertible,
        _ method: HTTPRequest.Method,
        _ query: [URLQueryItem],
        _ fields: HTTPFields,
        _ body: RequestBody,
        _ options: RequestOptions
    ) throws(ApusError) -> DirectCall {
        let request = try Self.build { () throws in
            try RequestMessage(url, method: method, query: query, fields: fields, body: body)
        }
        return DirectCall(core: core, request: request, options: options)
    }

    private func call(
        _ request: some RequestConvertible,
        _ options: RequestOptions
    ) throws(ApusError) -> DirectCall {
        DirectCall(core: core, request: try Self.build(request.asRequest), options: options)
    }

    /// Returns the message that `make` builds, or throws the error of a request that could not be built.
    static func build(_ make: () throws -> RequestMessage) throws(ApusError) -> RequestMessage {
        do { return try make() } catch { throw buildingFailure(error) }
    }

    /// Returns the error of a request that could not be built.
    static func buildingFailure(_ error: any Error) -> ApusError {
        ApusError(wrapping: error, as: .requestBuildingFailed)
    }
}

extension SessionCore {
    /// Runs `operation` in a new task, and cancels it after `duration`.
    ///
    /// It returns at that moment, even if the operation goes on. `late` receives the operation's value if it arrives
    /// after that. The task and its timer run on the global executor only if the caller does, as in `onExecutor`.
    func bounded<Value: Sendable>(
        by duration: Duration,
        to origin: Origin,
        late: @escaping @Sendable (Value) -> Void = { _ in },
        _ operation: @escaping @Sendable () async throws(ApusError) -> Value
    ) async throws(ApusError) -> Value {
        let outcome = Deferred<Result<Value, ApusError>>()
        let counters = environment.counters
        let time = environment.time
        let deadline = time.now.advanced(by: duration)
        let executor = executor(ofCallerOn: #isolation, for: origin)
        counters.add(to: .tasks)
        let work = Task(executorPreference: executor) {
            do throws(ApusError) {
                let value = try await operation()
                if !outcome.fulfill(.success(value)) { late(value) }
            } catch {
                outcome.fulfill(.failure(error))
            }
            counters.remove(from: .tasks)
        }
        counters.add(to: .timers)
        let timer = Task(executorPreference: executor) {
            try? await time.sleep(until: deadline)
            counters.remove(from: .timers)
            if !Task.isCancelled, outcome.fulfill(.failure(CancelReason.deadline(duration).error)) { work.cancel() }
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(.failure(CancelReason.task.error))
            work.cancel()
        }.get()
    }
}
