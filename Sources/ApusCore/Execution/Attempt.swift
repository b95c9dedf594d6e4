internal import Foundation
internal import HTTPTypes

/// Makes one attempt at a request: sends it through the chain, validates the head, collects the body, validates the
/// body. That of a download writes the body to a file.
struct Attempt: Sendable {
    let core: SessionCore
    let context: RequestContext
    var validation = Validation.none
    /// The handle that suspends the request and reports progress, if any.
    var handle: RequestTask?
    /// The credential that was set on the handle.
    var credential: RequestCredential?

    /// Runs on the executor that the caller prefers, not on the caller's actor.
    @concurrent
    func run(
        _ request: RequestMessage,
        because cause: ExchangeCause = .first
    ) async throws(ApusError) -> CollectedResponse {
        do {
            if let handle, handle.isSuspended { try await handle.passGate() }
            let response = try await core.chain(request, context: context, credential: credential, because: cause)
            if let collected = collectedAtOnce(response, request) { return collected }
            return try await collect(response, request)
        } catch {
            throw failure(error, of: request)
        }
    }

    /// Makes the attempt of a streamed call, which ends with the response head.
    @concurrent
    func open(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> ResponseMessage {
        do {
            let response = try await core.chain(request, context: context, because: cause)
            return validation.isEmpty ? response : try await validated(response, to: request)
        } catch {
            throw failure(error, of: request)
        }
    }

    @inline(never)
    private func validated(_ response: ResponseMessage, to request: RequestMessage) async throws -> ResponseMessage {
        guard let refusal = await validate(response, request) else { return response }
        let head = ResponseHead(status: response.status, fields: response.fields)
        throw await failure(refusal, head, response.body, request.options)
    }

    private func failure(_ error: any Error, of request: RequestMessage) -> ApusError {
        ApusError(wrapping: error, as: .middlewareFailed).about(method: request.method, target: request.target)
    }

    /// Returns the response of the common case, without waiting: the body arrived with the head, the request is not
    /// suspended, and no validator blocks, needs the body or rejects it. Returns `nil` in all other cases.
    private func collectedAtOnce(_ response: borrowing ResponseMessage, _ request: RequestMessage) -> CollectedResponse?
    {
        guard !validation.mayBlock, !validation.hasBodyStage else { return nil }
        if let handle, handle.isSuspended { return nil }
        let data: Data
        switch response.body.storage {
        case .empty:
            data = Data()
        case .whole(let chunk):
            guard chunk.count <= core.configuration.limits.collectedBodyBytes else { return nil }
            data = Data(chunk)
        case .stream:
            return nil
        }
        guard validation.refusal(of: response, to: request) == nil else { return nil }
        validation.report(response)
        context.post(.responded(response.head), then: .validated)
        let body = context.counted(response.body, of: response.record, expecting: Int64(data.count))
        handle?.noteReceived(Int64(data.count), in: response.record)
        return CollectedResponse(
            head: ResponseHead(status: response.status, fields: response.fields),
            content: .memory(data),
            trailers: body.trailers,
            target: response.target
        )
    }

    @inline(never)
    private func collect(
        _ response: consuming ResponseMessage,
        _ request: RequestMessage
    ) async throws -> CollectedResponse {
        let limits = core.configuration.limits
        let refusal = await validate(copy response, request)
        let head = ResponseHead(status: response.status, fields: response.fields)
        let (target, record) = (response.target, response.record)
        let body = context.counted(response.body, of: record, expecting: head.fields.declaredLength)
        if let refusal {
            throw await failure(refusal, head, body, request.options)
        }
        let content = try await collectBody(body, of: record, head, request, limit: limits.collectedBodyBytes)
        return CollectedResponse(head: head, content: content, trailers: body.trailers, target: target)
    }

    /// Returns the error with the rejected response.
    @inline(never)
    func failure(
        _ refusal: ApusError,
        _ head: ResponseHead,
        _ body: ResponseBody,
        _ options: RequestOptions
    ) async -> ApusError {
        guard refusal.phase != .cancelled else {
            body.discard()
            return refusal.with(response: head.response)
        }
        return refusal.with(response: head.response, data: await core.beginning(of: body, for: options))
    }

    /// Runs the validators of the head. Returns the error of the first that rejects it.
    func validate(_ response: ResponseMessage, _ request: RequestMessage) async -> ApusError? {
        validation.report(response)
        guard validation.mayBlock, core.configuration.handlerExecution == .concurrent else {
            let refusal = validation.refusal(of: response, to: request)
            guard let refusal else {
                context.post(.responded(response.head), then: .validated)
                return nil
            }
            context.post(.responded(response.head))
            context.post(.validated(refusal))
            return refusal
        }
        return await validateOffLoop(response, request)
    }

    @inline(never)
    private func validateOffLoop(_ response: ResponseMessage, _ request: RequestMessage) async -> ApusError? {
        context.post(.responded(response.head))
        let refusal = await offEventLoop { [validation] in validation.refusal(of: response, to: request) }
        context.post(.validated(refusal))
        return refusal
    }

    @inline(never)
    private func collectBody(
        _ body: ResponseBody,
        of record: ExchangeRecord,
        _ head: ResponseHead,
        _ request: RequestMessage,
        limit: Int
    ) async throws -> CollectedResponse.Content {
        let data: Data
        do throws(ApusError) {
            if let handle {
                let length = expectedLength(body, head)
                data = try await handle.collect(body, of: record, upTo: limit, expecting: length)
            } else if let kept = request.options[KeptBeginning.self], !validation.hasBodyStage {
                data = try await body.collectBeginning(kept.byteCount, upTo: limit)
            } else {
                data = try await body.collect(upTo: limit, expecting: expectedLength(body, head))
            }
        } catch {
            throw error.with(response: head.response)
        }
        if validation.hasBodyStage { try await validate(.memory(data), head.response, request) }
        return .memory(data)
    }

    func expectedLength(_ body: ResponseBody, _ head: ResponseHead) -> Int64? {
        switch body.storage {
        case .empty: 0
        case .whole(let chunk): Int64(chunk.count)
        case .stream: head.fields.declaredLength
        }
    }

    func validate(
        _ content: CollectedResponse.Content,
        _ head: HTTPResponse,
        _ request: RequestMessage
    )
        async throws(ApusError)
    {
        let validation = validation
        let refusal =
            core.configuration.handlerExecution == .eventLoop
            ? validation.refusal(of: head, content: content, to: request)
            : await offEventLoop { validation.refusal(of: head, content: content, to: request) }
        context.post(.validated(refusal))
        guard let refusal else { return }
        let limit = core.configuration.limits.errorBodyBytes
        let data =
            switch content {
            case .memory(let data): data.prefix(limit)
            case .file(let file): await offEventLoop { file.beginning(limit) }
            }
        throw refusal.with(response: head, data: data)
    }
}
