public import Foundation
public import HTTPTypes

/// The direct calls: a request in, a whole answer out, whatever its status; `validate()` refuses what is no success.
extension Session {
    /// GETs what `url` names.
    public func get(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .get, query, fields, .none, options).response()
    }

    /// Asks for the head alone.
    public func head(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .head, query, fields, .none, options).response()
    }

    /// POSTs `body`.
    public func post(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .post, query, fields, body, options).response()
    }

    /// PUTs `body`.
    public func put(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .put, query, fields, body, options).response()
    }

    /// PATCHes with `body`.
    public func patch(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .patch, query, fields, body, options).response()
    }

    /// DELETEs what `url` names.
    public func delete(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .delete, query, fields, body, options).response()
    }

    /// Sends a request and collects its answer.
    ///
    /// - Parameters:
    ///   - request: The request, or what builds it.
    ///   - options: What this request sets otherwise than the session.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `ApusError`, for cancellation too.
    ///
    /// ## Cancellation
    /// Cancelling the task ends the exchange: the connection is closed (HTTP/1.1).
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

    /// The message that `make` makes, or the error of a request that could not even be built.
    static func build(_ make: () throws -> RequestMessage) throws(ApusError) -> RequestMessage {
        do { return try make() } catch { throw buildingFailure(error) }
    }

    /// The error of a request that could not even be built.
    static func buildingFailure(_ error: any Error) -> ApusError {
        ApusError.wrapping(error) {
            ApusError(.requestBuildingFailed, Redaction.text(String(describing: $0)), underlying: $0)
        }
    }
}

extension SessionCore {
    /// Runs `operation` in a task of its own, which is given up when the time is over.
    ///
    /// It returns at that moment, whatever the operation does with its cancellation; `late` is given what the operation
    /// brings back when nobody waits for it any more. The task and its timer run on the global executor only if the caller
    /// does, as in `onExecutor`.
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
