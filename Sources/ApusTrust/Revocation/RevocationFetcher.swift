package import ApusCore

/// Sends requests to OCSP responders.
package protocol RevocationFetcher: Sendable {
    /// Sends a request to a responder in the body of a POST, RFC 6960 Appendix A. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - request: The request in DER.
    ///   - responder: The URL of the responder, which is always `http`.
    ///   - addressGuard: Decides which addresses may be connected to. `nil` for all.
    /// - Returns: The body of the response, of at most `RevocationLimits.responseBytes`.
    /// - Throws: The error of the request, at the latest after `RevocationLimits.responseTime`.
    func response(
        to request: [UInt8],
        from responder: TargetURI,
        addressGuard: AddressGuard?
    ) async throws(ApusError) -> [UInt8]
}
