public import Foundation

/// What can say the URI that a request is for: `String`, `URL`, `URLComponents`, and types of your own.
public protocol URLConvertible: Sendable {
    /// The URI, as Foundation's type.
    func asURL() throws -> URL

    /// The URI, taken apart. The default goes through `asURL()`.
    func asTarget() throws -> TargetURI
}

extension URLConvertible {
    public func asTarget() throws -> TargetURI {
        try TargetURI(asURL().absoluteString)
    }
}

extension String: URLConvertible {
    public func asURL() throws -> URL {
        guard let url = try asTarget().url else {
            throw ApusError(.invalidURL, "Foundation takes it for none", url: self)
        }
        return url
    }

    public func asTarget() throws -> TargetURI {
        try TargetURI(self)
    }
}

extension URL: URLConvertible {
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    public func asURL() throws -> URL {
        guard let url else { throw ApusError(.invalidURL, "its components make none together") }
        return url
    }
}

extension TargetURI: URLConvertible {
    public func asURL() throws -> URL {
        guard let url else { throw ApusError(.invalidURL, "Foundation takes it for none", url: uri) }
        return url
    }

    public func asTarget() throws -> TargetURI { self }
}

/// What can build a whole request: a `RequestMessage`, and types of your own.
///
/// ```swift
/// enum Router: RequestConvertible {
///     case user(id: Int)
///
///     func asRequest() throws -> RequestMessage {
///         switch self {
///         case .user(let id): try RequestMessage("https://api.example.org/users/\(id)")
///         }
///     }
/// }
/// ```
///
/// A handle asks it again for every attempt; a direct call asks it once, and sends what it has made.
public protocol RequestConvertible: Sendable {
    /// Builds the request.
    func asRequest() throws -> RequestMessage
}
