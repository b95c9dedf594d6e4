package import HTTPTypes

/// Makes the credentials that HTTP proxies get.
package protocol ProxyAuthenticator: Sendable {
    /// Returns the authorization for a proxy with a user.
    func authorization(for proxy: ProxyServer) -> any ProxyAuthorization
}

/// The credentials for one proxy, and their state: the latest nonce of Digest and the number of its uses.
package protocol ProxyAuthorization: Sendable {
    /// Returns the `Proxy-Authorization` field of the next request. `nil` to send none before a challenge.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - target: The target as the proxy gets it: host and port for CONNECT, otherwise a URI.
    /// - Returns: The field.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, if user and password can't be sent.
    mutating func field(method: HTTPRequest.Method, target: String) throws(ApusError) -> HTTPField?

    /// Takes up the challenge of a proxy that has refused a request with 407.
    ///
    /// - Parameters:
    ///   - fields: The fields of its response.
    ///   - isAnswered: Whether the refused request had the answer to an earlier challenge, so that the credentials are
    ///     wrong unless only the nonce was stale.
    /// - Returns: Whether the request can be sent again, with another field.
    mutating func takeUp(_ fields: HTTPFields, isAnswered: Bool) -> Bool
}
