package import ApusCore
internal import HTTPTypes

/// Sends requests over https to the hosts that have asked for it, and remembers the hosts whose responses ask for it.
///
/// It handles each exchange separately, so a redirect to such a host is upgraded too. There is no way back to http: if
/// the server can't be reached over https, the request fails.
///
/// See RFC 6797 §8, https://www.rfc-editor.org/rfc/rfc6797.html#section-8
package final class HSTSMiddleware: SynchronousMiddleware, TargetUpgrading {
    private let store: HSTSStore?
    private let notesPolicies: Bool

    /// - Parameters:
    ///   - handling: The default for requests that do not set it.
    ///   - notesPolicies: Whether the policies of responses are remembered. Default: `true`.
    package init(_ handling: HSTSHandling, notesPolicies: Bool = true) {
        self.store = handling.store
        self.notesPolicies = notesPolicies
    }

    // MARK: Requests

    package func prepare(_ request: inout RequestMessage, context: RequestContext) {
        // Without options the store is that of the session, and most sessions never get an entry.
        if request.options.isEmpty, store?.isEmpty ?? true { return }
        if let target = upgrade(request.target, request.options) { request.target = target }
    }

    package func upgrade(_ target: TargetURI, _ options: RequestOptions) -> TargetURI? {
        guard target.origin.scheme == .http else { return nil }
        return store(for: options)?.upgrade(target)
    }

    package func explained(_ error: ApusError, of target: TargetURI, _ options: RequestOptions) -> ApusError {
        switch error.phase {
        // TLS with a proxy does not depend on the scheme of the request.
        case .connect, .tls, .proxy: if error.isOfProxy { return error }
        default: return error
        }
        let host = target.origin.host
        return error.overHTTPS(because: store(for: options)?.entry(forHost: host)?.host ?? host)
    }

    private func store(for options: RequestOptions) -> HSTSStore? {
        switch options[HSTSHandling.self] {
        case nil, .automatic: store
        case .off: nil
        case .store(let own): own
        }
    }

    // MARK: Responses

    package func isConcerned(by response: borrowing ResponseMessage) -> Bool {
        notesPolicies && !response.isPlain && response.fields.contains(.strictTransportSecurity)
    }

    package func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async -> ResponseMessage {
        let target = response.target
        guard target.origin.scheme == .https, let store = store(for: request.options),
            isVerified(response, request.options, context.environment.configuration)
        else { return response }
        store.receive(response.fields, from: target)
        return response
    }

    /// Returns whether the server's certificate was verified for its host. Otherwise anyone could set a policy.
    private func isVerified(
        _ response: ResponseMessage,
        _ options: RequestOptions,
        _ configuration: SessionConfiguration
    ) -> Bool {
        if let isHostVerified = response.record.metrics.isHostVerified { return isHostVerified }
        // A transport that does not tell verifies at most as it was told to. An evaluator may accept any host.
        do throws(ApusError) {
            let trust = try configuration.trust(for: response.target.origin, option: options[ServerTrust.self])
            return trust.evaluator == nil && trust.verification == .full
        } catch {
            return false
        }
    }
}
