/// Runs the adapters of a request, for one attempt.
struct Adaptation: Sendable {
    let context: RequestContext
    let interceptors: InterceptorSet

    // Inlined, since another async function would be one more that checks its executor.
    @inline(__always)
    func run(_ original: RequestMessage) async throws(ApusError) -> RequestMessage {
        guard !interceptors.adapters.isEmpty else { return original }
        do throws(ApusError) {
            var (request, done) = try adaptAtOnce(original)
            if done < interceptors.adapters.count { request = try await adaptPatiently(request, after: done) }
            context.eventSink?.postAdapted(request)
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

    /// Runs the adapters up to the first that has to wait. Returns the request and the number of adapters that ran.
    private func adaptAtOnce(_ original: RequestMessage) throws(ApusError) -> (request: RequestMessage, count: Int) {
        guard let adapters = interceptors.synchronousAdapters else { return (original, 0) }
        var request = original
        for index in adapters.indices {
            do {
                guard try adapters[index].change(&request, context) else { return (request, index) }
            } catch {
                throw Self.failure(of: interceptors.adapters[index], error)
            }
        }
        return (request, adapters.count)
    }

    private func adaptPatiently(
        _ request: RequestMessage,
        after done: Int
    ) async throws(ApusError) -> RequestMessage {
        let (adapters, context) = (interceptors.adapters.dropFirst(done), context)
        let code = UserCode(environment: context.environment)
        return try await code.run { await Self.adapt(request, by: adapters, context) }.get()
    }

    private static func adapt(
        _ original: RequestMessage,
        by adapters: ArraySlice<any RequestAdapter>,
        _ context: RequestContext
    ) async -> Result<RequestMessage, ApusError> {
        var request = original
        for adapter in adapters {
            do {
                request = try await adapter.adapt(request, context: context)
            } catch {
                return .failure(failure(of: adapter, error))
            }
        }
        return .success(request)
    }

    private static func failure(of adapter: any RequestAdapter, _ error: any Error) -> ApusError {
        ApusError(wrapping: error, as: .adaptationFailed, by: "\(type(of: adapter))")
    }
}
