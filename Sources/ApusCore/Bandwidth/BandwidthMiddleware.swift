/// Holds the bodies of requests and responses to the rates of their session and of the option `TransferRateLimit`.
///
/// It makes the readers of bodies wait, so back-pressure holds back the source of a request and the server of a
/// response. It handles each exchange. Without limits it costs a request one look at its options.
package final class BandwidthMiddleware: SynchronousMiddleware {
    /// The limiters of a request with the option, for all of its exchanges.
    private enum OwnLimiters: RequestContextKey {
        typealias Value = BandwidthLimiters
    }

    private let shared: BandwidthLimiters

    /// - Parameters:
    ///   - limit: The limit that all requests share.
    ///   - time: The session's clock.
    package init(_ limit: TransferRateLimit, time: any SessionClock) {
        self.shared = BandwidthLimiters(limit, AnySessionClock(time))
    }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) {
        if request.body.isNone || request.options.isEmpty && shared.upload == nil { return }
        let own = ownLimiters(request.options, context)
        guard let pace = TransferPace(own?.upload, shared.upload) else { return }
        request.body = request.body.paced(by: pace, in: context.environment)
    }

    package func isConcerned(byAnyResponseTo options: RequestOptions) -> Bool {
        shared.download != nil || !options.isEmpty && options[TransferRateLimit.self]?.download != nil
    }

    package func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async -> ResponseMessage {
        let own = ownLimiters(request.options, context)
        guard let pace = TransferPace(own?.download, shared.download) else { return response }
        var response = response
        response.body = response.body.paced(by: pace, in: context.environment)
        return response
    }

    /// Returns the limiters of a request's option. Exchanges with an equal option share them.
    private func ownLimiters(_ options: RequestOptions, _ context: RequestContext) -> BandwidthLimiters? {
        guard !options.isEmpty, let limit = options[TransferRateLimit.self] else { return nil }
        let time = context.environment.time
        let kept = context.value(of: OwnLimiters.self) { BandwidthLimiters(limit, time) }
        guard kept.limit != limit else { return kept }
        // An adapter or a middleware has changed the option since the last exchange.
        let own = BandwidthLimiters(limit, time)
        context[OwnLimiters.self] = own
        return own
    }
}
