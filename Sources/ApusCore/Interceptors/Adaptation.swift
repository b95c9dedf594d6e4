/// What adapters make of a request, for one attempt.
struct Adaptation: Sendable {
    let core: SessionCore
    let context: RequestContext
    let interception: Interception

    func run(_ original: RequestMessage) async throws(ApusError) -> RequestMessage {
        guard !interception.adapters.isEmpty else { return original }
        do throws(ApusError) {
            try RequestRules.check(original, context)
            let (adapters, context) = (interception.adapters, context)
            let result = await UserCode(core: core).run { await Self.adapt(original, by: adapters, context) }
            guard let result else { throw CancelReason.task.error }
            let request = try result.get()
            context.post(.adapted(request))
            return request
        } catch {
            let failure = error.about(method: original.method, target: original.target)
            context.post(.adaptationFailed(failure))
            throw failure
        }
    }

    func result(of original: RequestMessage) async -> Result<RequestMessage, ApusError> {
        do throws(ApusError) { return .success(try await run(original)) } catch { return .failure(error) }
    }

    private static func adapt(
        _ original: RequestMessage,
        by adapters: [any RequestAdapter],
        _ context: RequestContext
    ) async -> Result<RequestMessage, ApusError> {
        var request = original
        for adapter in adapters {
            do {
                request = try await adapter.adapt(request, context: context)
            } catch {
                let failure = ApusError.wrapping(error) {
                    let said = Redaction.text(String(describing: $0))
                    return ApusError(.adaptationFailed, "\(type(of: adapter)) threw \(said)", underlying: $0)
                }
                return .failure(failure)
            }
        }
        return .success(request)
    }
}
