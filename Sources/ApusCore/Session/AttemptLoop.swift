internal import Foundation
internal import HTTPTypes

/// What an attempt brought back: head and whole content.
struct Collected: Sendable {
    let head: ResponseHead
    let data: Data
    let trailers: HTTPFields?
    let target: TargetURI
}

/// One request through the chain and back, in the order: chain, validate the head, collect, validate the content.
struct AttemptLoop: Sendable {
    let core: SessionCore
    let context: RequestContext
    let validation: Validation
    /// Where a handle holds its request back while it is suspended, and listens to progress.
    let handle: RequestTask?

    /// Runs on the executor that the caller prefers, not on the caller's actor.
    @concurrent
    func run(_ request: RequestMessage) async throws(ApusError) -> Collected {
        do {
            try Self.check(request)
            if let handle { try await handle.passGate() }
            let response = try await core.chain(request, context: context)
            context.post(.responded(response.head))
            return try await collect(response, request)
        } catch {
            let failure = ApusError.wrapping(error) {
                ApusError(.middlewareFailed, Redaction.text(String(describing: $0)), underlying: $0)
            }
            throw failure.about(method: request.method, target: request.target)
        }
    }

    /// Refuses what would be misread or lost on its way.
    static func check(_ request: RequestMessage) throws(ApusError) {
        if request.method == .connect {
            throw ApusError(.invalidRequest, "CONNECT makes a tunnel, which is no request; RFC 9110 §9.3.6")
        }
        if request.method == .trace, !request.body.isNone {
            throw ApusError(.invalidRequest, "a TRACE has no content; RFC 9110 §9.3.8")
        }
        if request.method == .get || request.method == .head, !request.body.isNone {
            throw ApusError(
                .invalidRequest,
                "a \(request.method.rawValue) has no content; send it as POST or QUERY, or put it into the query"
            )
        }
    }

    private func collect(_ response: consuming ResponseMessage, _ request: RequestMessage) async throws -> Collected {
        let limits = core.configuration.limits
        let refusal = await refusal(of: copy response, request)
        context.post(.validated(refusal))
        if let refusal {
            let head = response.head
            let data = await response.body.collectPrefix(limits.errorBodyBytes)
            throw refusal.with(response: head, data: data)
        }
        let head = ResponseHead(status: response.status, fields: response.fields)
        let target = response.target
        let body = response.body
        let data = try await collectBody(body, head, limit: limits.collectedBodyBytes)
        if validation.hasBodyStage {
            try await validateBody(head.response, data, request)
        }
        return Collected(head: head, data: data, trailers: body.trailers, target: target)
    }

    private func refusal(of response: ResponseMessage, _ request: RequestMessage) async -> ApusError? {
        guard validation.mayBlock, core.configuration.userCode == .offLoop else {
            return validation.refusal(of: response, to: request)
        }
        return await offLoop { [validation] in validation.refusal(of: response, to: request) }
    }

    private func collectBody(_ body: ResponseBody, _ head: ResponseHead, limit: Int) async throws(ApusError) -> Data {
        do throws(ApusError) {
            guard let handle else {
                return try await body.collect(upTo: limit, expecting: expectedLength(body, head))
            }
            return try await handle.collect(body, upTo: limit, expecting: expectedLength(body, head))
        } catch {
            throw error.with(response: head.response)
        }
    }

    private func expectedLength(_ body: ResponseBody, _ head: ResponseHead) -> Int64? {
        guard case .stream = body.storage else { return nil }
        return head.fields[.contentLength].flatMap { Int64($0) }
    }

    private func validateBody(_ head: HTTPResponse, _ data: Data, _ request: RequestMessage) async throws {
        let validation = validation
        let refusal =
            core.configuration.userCode == .onLoop
            ? validation.refusal(of: head, data: data, to: request)
            : await offLoop { validation.refusal(of: head, data: data, to: request) }
        context.post(.validated(refusal))
        if let refusal {
            throw refusal.with(response: head, data: data.prefix(core.configuration.limits.errorBodyBytes))
        }
    }
}
