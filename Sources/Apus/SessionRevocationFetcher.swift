internal import ApusCookies
package import ApusCore
internal import ApusTrust
internal import Foundation
internal import HTTPTypes

/// Asks OCSP responders with a session that has no settings of the user's.
///
/// It sends `http` requests only, so it evaluates no trust of its own. A proxy over TLS is verified as by default.
package struct SessionRevocationFetcher: RevocationFetcher {
    package let session: Session

    /// - Parameters:
    ///   - timeLimit: The maximum time of a request. Default: `RevocationLimits.responseTime`.
    ///   - proxy: The proxies that requests go through. Default: `.environment`.
    package init(timeLimit: Duration = RevocationLimits.responseTime, proxy: ProxySelection = .environment) {
        var configuration = SessionConfiguration()
        configuration.timeouts.request = timeLimit
        configuration.limits.collectedBodyBytes = RevocationLimits.responseBytes
        configuration.redirects = .refuse
        configuration.contentDecoding = .off
        configuration.cookies = .off
        // Responders need not learn the program or the languages of the user.
        configuration.fields = [:]
        configuration.proxy = proxy
        // A POST on a connection that the responder closes meanwhile would fail.
        configuration.pool.usesPerConnection = 1
        self.session = Session(configuration: configuration)
    }

    package func response(
        to request: [UInt8],
        from responder: TargetURI,
        addressGuard: AddressGuard?
    ) async throws(ApusError) -> [UInt8] {
        var rules = AddressRules()
        rules.guard = addressGuard
        let response = try await session.post(
            responder,
            fields: [.contentType: "application/ocsp-request", .accept: "application/ocsp-response"],
            body: .bytes(Data(request)),
            options: [rules]
        )
        guard response.statusCode == 200 else {
            throw ApusError(.unacceptableStatus, "the status is \(response.statusCode)")
        }
        return Array(response.data)
    }
}
