/// Resolves host names into addresses, in place of the operating system.
///
/// ```swift
/// struct Registry: HostResolving {
///     let hosts: [String: IPAddress]
///
///     func addresses(of host: String) async throws -> [IPAddress] {
///         guard let address = hosts[host] else { throw ApusError(.hostNotFound, "there is no '\(host)'") }
///         return [address]
///     }
/// }
/// ```
///
/// See ``SessionConfiguration/resolver``. Hosts that are IP addresses are not looked up. Each attempt to connect looks
/// its host up once. ``CachingResolver`` shares lookups that are under way.
public protocol HostResolving: Sendable {
    /// Returns the addresses of a host, in the order of preference.
    ///
    /// Its time is part of `timeouts.connect`. A connection does not wait for it any longer after that, or if no
    /// request needs it: the task of the call is cancelled, and its result is ignored.
    ///
    /// - Parameter host: The host of a request, in lowercase. It ends with a dot if the one in the URL does.
    /// - Returns: The addresses. If there are none, the request fails with `hostNotFound`.
    /// - Throws: An `ApusError` is the error of the request. Any other becomes the cause of a `resolveFailed`.
    func addresses(of host: String) async throws -> [IPAddress]
}
