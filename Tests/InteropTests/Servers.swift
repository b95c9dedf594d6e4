internal import Apus
internal import Foundation

/// The servers that `Scripts/interop` starts and names in the environment.
enum Servers {
    /// httpbin behind gunicorn, for example `http://127.0.0.1:1234`.
    static let httpbin = name("HTTPBIN")
    /// nginx, with static files and a proxy to httpbin.
    static let nginx = name("NGINX")
    /// The same nginx over TLS.
    static let nginxOverTLS = name("NGINX_TLS")
    /// Apache, with a few protected files.
    static let apache = name("APACHE")
    /// The PEM file of the authority that issued the certificates of all servers.
    static let authority = name("AUTHORITY")
    /// The server that reloads an `InteropPeer` for `POST /name`.
    static let control = name("CONTROL")

    /// The server of resumable uploads of swift-nio-extras. Empty if it is not running.
    static let uploads = name("UPLOADS")
    /// The folder that it writes the uploads to.
    static let uploadFolder = name("UPLOAD_FOLDER")

    /// The URLs of the proxies, with their credentials.
    static let proxies = name("PROXIES").split(separator: " ").map(String.init)
    /// The URL of a proxy that requires Digest. Empty if there is none.
    static let digestProxy = name("DIGEST_PROXY")

    /// The servers that speak HTTP/2. Empty if they are not running.
    static let http2Peers: [InteropPeer] = {
        let text = name("HTTP2")
        do {
            return text.isEmpty ? [] : try JSONDecoder().decode([InteropPeer].self, from: Data(text.utf8))
        } catch {
            preconditionFailure("APUS_INTEROP_HTTP2 is invalid: \(error)")
        }
    }()

    /// Whether httpbin and nginx are running.
    static let areRunning = [httpbin, nginx, nginxOverTLS, authority].allSatisfy { !$0.isEmpty }

    private static func name(_ name: String) -> String {
        ProcessInfo.processInfo.environment["APUS_INTEROP_\(name)"] ?? ""
    }

    /// Returns a session that trusts nginx.
    static func trustingSession() -> Session {
        var configuration = Session.Configuration()
        configuration.trust.roots = .file(authority)
        return Session(configuration: configuration)
    }
}

/// httpbin's description of a received request.
struct Echo: Decodable, Sendable {
    let method: String?
    let args: [String: String]?
    let headers: [String: String]
    let json: [String: Int]?
    let data: String?
    let url: String
}
