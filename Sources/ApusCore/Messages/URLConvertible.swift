public import Foundation

/// Types that can be converted to a request URL: `String`, `URL`, `URLComponents`, and custom types.
public protocol URLConvertible: Sendable {
    /// Returns the URL.
    func asURL() throws -> URL

    /// Returns the URL as a parsed target. Default: parses `asURL()`.
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
            throw ApusError(.invalidURL, "Foundation can't parse it", url: self)
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
        guard let url else { throw ApusError(.invalidURL, "its components do not form one") }
        return url
    }
}

extension TargetURI: URLConvertible {
    public func asURL() throws -> URL {
        guard let url else { throw ApusError(.invalidURL, "Foundation can't parse it", url: uri) }
        return url
    }

    public func asTarget() throws -> TargetURI { self }
}

/// Types that can build a whole request: `RequestMessage`, and custom types.
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
/// A handle builds the request anew for each attempt. A direct call builds it once and sends the result.
public protocol RequestConvertible: Sendable {
    /// Builds the request.
    func asRequest() throws -> RequestMessage
}
