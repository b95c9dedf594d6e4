public import Foundation

/// Types that can be converted to a request URL: `String`, `URL`, `URLComponents`, and custom types.
public protocol URLConvertible: Sendable {
    /// Returns the URL.
    func asURL() throws -> URL

    /// Returns the URL as a parsed target. Default: parses `asURL()`.
    func asTarget() throws -> TargetURI

    /// Returns the target of a reference, relative to a base URL. Default: resolves `asURL()`.
    func asTarget(relativeTo base: TargetURI) throws -> TargetURI
}

extension URLConvertible {
    public func asTarget() throws -> TargetURI {
        try TargetURI(asURL().absoluteString)
    }

    public func asTarget(relativeTo base: TargetURI) throws -> TargetURI {
        try base.resolvingReference(asURL().absoluteString)
    }

    /// Returns the target, relative to the base URL of a session if it has one.
    func target(below base: TargetURI?) throws -> TargetURI {
        try base.map { try asTarget(relativeTo: $0) } ?? asTarget()
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

    public func asTarget(relativeTo base: TargetURI) throws -> TargetURI {
        try base.resolvingReference(self)
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

    public func asTarget(relativeTo base: TargetURI) throws -> TargetURI { self }

    /// Returns the target of a reference. It keeps the user information of the base if it has the same origin and none
    /// of its own: a relative reference keeps the whole authority, RFC 3986 §5.2.2.
    package func resolvingReference(_ reference: String) throws(ApusError) -> TargetURI {
        let target = try resolving(reference)
        guard target.userInformation == nil, target.origin == origin else { return target }
        return TargetURI(origin: target.origin, path: target.path, userInformation: userInformation)
    }

    /// Returns the target as a base: its path ends with a slash, so that references go below it.
    package var asBase: TargetURI {
        guard !path.hasSuffix("/") else { return self }
        let end = path.firstIndex(of: "?") ?? path.endIndex
        let folder = path[..<end]
        return TargetURI(
            origin: origin,
            path: folder.hasSuffix("/") ? String(folder) : folder + "/",
            userInformation: userInformation
        )
    }
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
