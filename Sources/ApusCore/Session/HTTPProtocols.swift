/// The versions of HTTP that a session or a request may use.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.protocols = .http1
/// ```
///
/// As an option of a request it replaces the setting of the session. Requests with different versions never share a
/// connection.
public enum HTTPProtocols: RequestOption, Hashable {
    /// HTTP/2 if the server chooses it in the TLS handshake (ALPN, RFC 7301), otherwise HTTP/1.1. HTTP/1.1 in the clear.
    case automatic
    /// HTTP/1.1.
    case http1
    /// HTTP/2. Over TLS, a request to a server that does not choose it fails with `protocolUnsupported`. In the clear,
    /// the server has to support HTTP/2 without negotiation: "prior knowledge", RFC 9113 §3.3.
    case http2
}
