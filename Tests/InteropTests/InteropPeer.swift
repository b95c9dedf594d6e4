internal import Apus
internal import Testing

/// A server that speaks HTTP/2, with one of its URLs. `Scripts/support/interop/peers.py` starts and describes it.
struct InteropPeer: Decodable, Sendable, CustomTestStringConvertible {
    /// Its name and the kind of the URL, for example `nginx TLS`.
    let name: String
    let url: String
    /// Whether it responds to an upload with its content, and not with the digest and the length.
    let echoes: Bool
    /// The path of a response with the trailer field `x-swift: apus`. `nil` if there is none.
    let trailers: String?
    /// The path that responds with the length of the body and the trailer field `x-swift` of the request. `nil` if
    /// there is none.
    let sentTrailers: String?
    /// The maximum number of streams on a connection, at most 100.
    let streamCount: Int
    /// Its name for `Servers.control`. `nil` if it can't be reloaded.
    let reload: String?
    /// Whether it finishes or excludes each request while it reloads.
    let isCareful: Bool

    var testDescription: String { name }

    /// Returns the configuration of a session that trusts the server and uses HTTP/2.
    func configuration() -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.trust.roots = .file(Servers.authority)
        // Without TLS there is no negotiation.
        if url.hasPrefix("http:") { configuration.protocols = .http2 }
        return configuration
    }
}
