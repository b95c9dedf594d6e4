public import Foundation

/// The URI of a request, parsed once and checked byte by byte.
///
/// Characters that are not allowed in a URI but have a clear meaning (a space, `ü` in a path, `bücher.de`) are encoded.
/// Control characters are rejected, since they could add a second line to a request. A fragment is dropped, since it is
/// never sent.
///
/// See RFC 9110 §7.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-7.1
public struct TargetURI: Sendable, Hashable {
    /// The user name and password before the host.
    public struct UserInformation: Sendable, Hashable {
        /// The user name, percent-decoded.
        public let user: String
        /// The password, percent-decoded.
        public let password: String
    }

    /// Shared, since many objects hold the target of one request.
    private final class Parts: Sendable {
        let origin: Origin
        let authority: String
        let path: String
        let userInformation: UserInformation?

        init(origin: Origin, authority: String?, path: String, userInformation: UserInformation?) {
            self.origin = origin
            self.authority = authority ?? origin.authority
            self.path = path
            self.userInformation = userInformation
        }
    }

    private let parts: Parts

    /// The origin that the request is sent to.
    public var origin: Origin { parts.origin }
    /// Host and port as in the `Host` field.
    public var authority: String { parts.authority }
    /// Path and query, starting with `/`.
    public var path: String { parts.path }
    /// The user name and password before the host. They are never shown, and never sent in this form.
    public var userInformation: UserInformation? { parts.userInformation }

    /// Whether this is a copy of the other target.
    func isIdentical(to other: borrowing TargetURI) -> Bool { parts === other.parts }

    /// Creates a target from valid parts. `authority` must be that of `origin`. If `nil`, it is computed.
    package init(
        origin: Origin,
        authority: String? = nil,
        path: String,
        userInformation: UserInformation? = nil
    ) {
        self.parts = Parts(origin: origin, authority: authority, path: path, userInformation: userInformation)
    }

    /// Parses a URI.
    ///
    /// - Parameter uri: An absolute `http` or `https` URI.
    /// - Throws: `ApusError` with the code `invalidURL`, with the fault and its position.
    public init(_ uri: String) throws(ApusError) {
        var copy = uri
        let parsed = copy.withUTF8 { Self.parse($0) }
        switch parsed {
        case .success(let target):
            self = target
        case .failure(.hostNeedsEncoding(let host)):
            self = try Self.encodingHost(host, of: Array(uri.utf8))
        case .failure(let fault):
            throw ApusError(.invalidURL, fault.description, hint: fault.hint, url: uri)
        }
    }

    /// Parses the bytes of a URI, which do not have to be UTF-8. Those of its path and query are percent-encoded.
    private init(octets: [UInt8]) throws(ApusError) {
        switch octets.withUnsafeBufferPointer({ Self.parse($0) }) {
        case .success(let target):
            self = target
        case .failure(.hostNeedsEncoding(let host)):
            self = try Self.encodingHost(host, of: octets)
        case .failure(let fault):
            let url = String(decoding: octets, as: UTF8.self)
            throw ApusError(.invalidURL, fault.description, hint: fault.hint, url: url)
        }
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<TargetURI, TargetURIFault> {
        do throws(TargetURIFault) {
            return .success(try TargetURIParser(bytes).parse())
        } catch {
            return .failure(error)
        }
    }

    /// Converts an internationalized host to punycode with Foundation. Foundation gets only the host, since the rest
    /// must be encoded in the same way for every host.
    private static func encodingHost(_ range: Range<Int>, of uri: [UInt8]) throws(ApusError) -> TargetURI {
        let name = String(validating: uri[range], as: UTF8.self)
        guard let host = name.map({ PercentEncoding.decode($0) }),
            host.utf8.allSatisfy({ $0 >= 0x80 || TargetURIParser.isHostByte($0) }),
            let encoded = URL(string: "http://\(host)/")?.host(percentEncoded: false), !encoded.isEmpty,
            encoded.utf8.allSatisfy(TargetURIParser.isHostByte)
        else { throw ApusError(.invalidURL, "the host is invalid", url: String(decoding: uri, as: UTF8.self)) }
        var octets = uri
        octets.replaceSubrange(range, with: encoded.utf8)
        return try TargetURI(octets: octets)
    }

    /// The URI as a string, without user name and password.
    public var uri: String { "\(origin.scheme.rawValue)://\(authority)\(path)" }

    /// The URI as a Foundation `URL`, without user name and password. `nil` if Foundation rejects it.
    public var url: URL? { URL(string: uri) }

    /// Returns the same target with `items` added to its query.
    ///
    /// Names and values are percent-encoded, except for the unreserved characters of RFC 3986.
    public func adding(query items: [URLQueryItem]) -> TargetURI {
        guard !items.isEmpty else { return self }
        let pairs = items.map { item in
            let name = PercentEncoding.encode(item.name)
            return item.value.map { "\(name)=\(PercentEncoding.encode($0))" } ?? name
        }
        return appending(pairs.joined(separator: "&"))
    }

    /// Returns the same target with `query`, which is already percent-encoded, added to its own.
    ///
    /// It is checked like a whole URI: invalid characters are encoded, and control characters are rejected.
    ///
    /// - Throws: `ApusError` with the code `invalidURL`.
    package func adding(encodedQuery query: String) throws(ApusError) -> TargetURI {
        guard !query.isEmpty else { return self }
        if let offset = query.utf8.enumerated().first(where: { $1 < 0x20 || $1 == 0x7F })?.offset {
            throw ApusError(.invalidURL, "the added query has a control character at byte \(offset)", url: uri)
        }
        return appending(PercentEncoding.encodeQuery(query))
    }

    private func appending(_ query: String) -> TargetURI {
        let separator =
            !path.utf8.contains(UInt8(ascii: "?")) ? "?" : path.hasSuffix("?") || path.hasSuffix("&") ? "" : "&"
        return TargetURI(origin: origin, path: path + separator + query, userInformation: userInformation)
    }

    /// Resolves a reference, for example from a response, against this target.
    ///
    /// See RFC 3986 §5.2, https://www.rfc-editor.org/rfc/rfc3986.html#section-5.2
    ///
    /// - Throws: `ApusError` with the code `invalidURL`.
    public func resolving(_ reference: String) throws(ApusError) -> TargetURI {
        try resolving(octets: Array(reference.utf8))
    }

    /// Resolves a reference as received, which does not have to be UTF-8.
    func resolving(octets reference: [UInt8]) throws(ApusError) -> TargetURI {
        try TargetURI(octets: ReferenceResolution.resolve(reference, against: self))
    }
}

extension TargetURI {
    public static func == (one: TargetURI, other: TargetURI) -> Bool {
        // Equal targets may have separate storage.
        one.parts === other.parts
            || one.origin == other.origin && one.path == other.path && one.userInformation == other.userInformation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(path)
        hasher.combine(userInformation)
    }
}

extension TargetURI.UserInformation: CustomStringConvertible, CustomDebugStringConvertible {
    /// A fixed text without the user name and password.
    public var description: String { Redaction.mark }

    public var debugDescription: String { description }
}

extension TargetURI: CustomStringConvertible {
    /// The URI for display, without user name, password and query values. `uri` has the query values.
    public var description: String { Redaction.url(uri) }
}
