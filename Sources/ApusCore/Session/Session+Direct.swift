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
        try await call(url, .get, query, fields, .none, options)
    }

    /// Asks for the head alone.
    public func head(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .head, query, fields, .none, options)
    }

    /// POSTs `body`.
    public func post(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .post, query, fields, body, options)
    }

    /// PUTs `body`.
    public func put(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .put, query, fields, body, options)
    }

    /// PATCHes with `body`.
    public func patch(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .patch, query, fields, body, options)
    }

    /// DELETEs what `url` names.
    public func delete(
        _ url: some URLConvertible,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> Response {
        try await call(url, .delete, query, fields, body, options)
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
        try await perform(try Self.build { try request.asRequest() }, options)
    }

    private func call(
        _ url: some URLConvertible,
        _ method: HTTPRequest.Method,
        _ query: [URLQueryItem],
        _ fields: HTTPFields,
        _ body: RequestBody,
        _ options: RequestOptions
    ) async throws(ApusError) -> Response {
        let message = try Self.build {
            try RequestMessage(url, method: method, query: query, fields: fields, body: body)
        }
        return try await perform(message, options)
    }

    static func build(_ make: () throws -> RequestMessage) throws(ApusError) -> RequestMessage {
        do {
            return try make()
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(.requestBuildingFailed, Redaction.text(String(describing: $0)), underlying: $0)
            }
        }
    }

    private func perform(_ message: RequestMessage, _ options: RequestOptions) async throws(ApusError) -> Response {
        let core = core
        let context = RequestContext(environment: core.environment, options: options)
        context.post(.created(message))
        let deadline = core.deadline(of: context)
        let outcome: Result<Response, ApusError>
        do throws(ApusError) {
            let response =
                if let deadline {
                    try await core.bounded(by: deadline) { () async throws(ApusError) in
                        try await core.direct(message, context)
                    }
                } else {
                    try await core.direct(message, context)
                }
            outcome = .success(response)
        } catch {
            outcome = .failure(
                error.about(method: message.method, target: message.target).with(hops: context.metrics.hops)
            )
        }
        context.post(.completed(outcome.failure))
        context.post(.finished)
        return try outcome.get()
    }
}

extension SessionCore {
    /// A place, the chain, the whole content.
    fileprivate func direct(_ message: RequestMessage, _ context: RequestContext) async throws(ApusError) -> Response {
        try await enter()
        defer { roster.leave() }
        let loop = AttemptLoop(core: self, context: context, validation: .none, handle: nil)
        let collected = try await onExecutor(for: message.target.origin) { () async throws(ApusError) in
            try await loop.run(message)
        }
        return Response(
            request: message,
            status: collected.head.status,
            fields: collected.head.fields,
            data: collected.data,
            trailers: collected.trailers,
            metrics: context.metrics,
            target: collected.target
        )
    }

    /// Runs `operation` in a task of its own, which is given up when the time is over.
    ///
    /// It returns at that moment, whatever the operation does with its cancellation.
    func bounded<Value: Sendable>(
        by duration: Duration,
        _ operation: @escaping @Sendable () async throws(ApusError) -> Value
    ) async throws(ApusError) -> Value {
        let outcome = Deferred<Result<Value, ApusError>>()
        let counters = environment.counters
        let time = environment.time
        let deadline = time.now.advanced(by: duration)
        counters.add(to: .tasks)
        let work = Task {
            do throws(ApusError) {
                outcome.fulfill(.success(try await operation()))
            } catch {
                outcome.fulfill(.failure(error))
            }
            counters.remove(from: .tasks)
        }
        counters.add(to: .timers)
        let timer = Task {
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
