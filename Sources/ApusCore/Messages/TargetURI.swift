public import Foundation

/// The URI that a request is for, taken apart once and checked byte by byte.
///
/// What is not allowed in a URI but has a clear meaning (a space, `ü` in a path, `bücher.de`) is encoded;
/// what could smuggle a second line into a request (control characters) is refused. A fragment is dropped, since
/// it is never sent.
///
/// See RFC 9110 §7.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-7.1
public struct TargetURI: Sendable, Hashable {
    /// The user name and password that stood before the host.
    public struct UserInformation: Sendable, Hashable {
        /// The user name, percent-decoded.
        public let user: String
        /// The password, percent-decoded.
        public let password: String
    }

    /// Many hold the target of one request: they share it.
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

    /// Where the request goes.
    public var origin: Origin { parts.origin }
    /// Host and port as the `Host` field says them.
    public var authority: String { parts.authority }
    /// Path and query, beginning with `/`.
    public var path: String { parts.path }
    /// The user name and password that stood before the host; never shown and never sent as they are.
    public var userInformation: UserInformation? { parts.userInformation }

    /// Makes a target out of parts that are known to be good; `authority` is that of `origin`, where it is there already.
    package init(
        origin: Origin,
        authority: String? = nil,
        path: String,
        userInformation: UserInformation? = nil
    ) {
        self.parts = Parts(origin: origin, authority: authority, path: path, userInformation: userInformation)
    }

    /// Takes a URI apart.
    ///
    /// - Parameter uri: An absolute `http` or `https` URI.
    /// - Throws: `ApusError` with the code `invalidURL`, naming what is wrong and where.
    public init(_ uri: String) throws(ApusError) {
        var copy = uri
        let parsed = copy.withUTF8 { Self.parse($0) }
        switch parsed {
        case .success(let target):
            self = target
        case .failure(.hostNeedsEncoding(let host)):
            self = try Self.encodingHost(host, of: Array(uri.utf8))
        case .failure(let fault):
            throw ApusError(.invalidURL, fault.description, url: uri)
        }
    }

    /// Takes the octets of a URI apart, which may be no UTF-8: those of its path and query are percent-encoded.
    private init(octets: [UInt8]) throws(ApusError) {
        switch octets.withUnsafeBufferPointer({ Self.parse($0) }) {
        case .success(let target):
            self = target
        case .failure(.hostNeedsEncoding(let host)):
            self = try Self.encodingHost(host, of: octets)
        case .failure(let fault):
            throw ApusError(.invalidURL, fault.description, url: String(decoding: octets, as: UTF8.self))
        }
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<TargetURI, TargetURIFault> {
        do throws(TargetURIFault) {
            return .success(try TargetURIParser(bytes).parse())
        } catch {
            return .failure(error)
        }
    }

    /// An internationalised host becomes punycode in Foundation's hands; they get the host alone, since what surrounds
    /// it must be encoded the same way for every host.
    private static func encodingHost(_ range: Range<Int>, of uri: [UInt8]) throws(ApusError) -> TargetURI {
        let name = String(validating: uri[range], as: UTF8.self)
        guard let host = name.map({ PercentEncoding.decode($0) }),
            host.utf8.allSatisfy({ $0 >= 0x80 || TargetURIParser.isHostByte($0) }),
            let encoded = URL(string: "http://\(host)/")?.host(percentEncoded: false), !encoded.isEmpty,
            encoded.utf8.allSatisfy(TargetURIParser.isHostByte)
        else { throw ApusError(.invalidURL, "the host is not one", url: String(decoding: uri, as: UTF8.self)) }
        var octets = uri
        octets.replaceSubrange(range, with: encoded.utf8)
        return try TargetURI(octets: octets)
    }

    /// The URI as a string, without user name and password.
    public var uri: String { "\(origin.scheme.rawValue)://\(authority)\(path)" }

    /// The URI as Foundation's type, without user name and password; `nil` where Foundation takes it for none.
    public var url: URL? { URL(string: uri) }

    /// The same target with `items` added to its query.
    ///
    /// Names and values are percent-encoded but for RFC 3986's unreserved characters.
    public func adding(query items: [URLQueryItem]) -> TargetURI {
        guard !items.isEmpty else { return self }
        let pairs = items.map { item in
            let name = PercentEncoding.encode(item.name)
            return item.value.map { "\(name)=\(PercentEncoding.encode($0))" } ?? name
        }
        return appending(pairs.joined(separator: "&"))
    }

    /// The same target with `query`, which is percent-encoded already, added to its own.
    ///
    /// It is checked as a whole URI is: what may not stand in a query is encoded, a control character is refused.
    ///
    /// - Throws: `ApusError` with the code `invalidURL`.
    package func adding(encodedQuery query: String) throws(ApusError) -> TargetURI {
        guard !query.isEmpty else { return self }
        if let offset = query.utf8.enumerated().first(where: { $1 < 0x20 || $1 == 0x7F })?.offset {
            throw ApusError(.invalidURL, "the query to be added has a control character at byte \(offset)", url: uri)
        }
        return appending(PercentEncoding.encodeQuery(query))
    }

    private func appending(_ query: String) -> TargetURI {
        let separator =
            !path.utf8.contains(UInt8(ascii: "?")) ? "?" : path.hasSuffix("?") || path.hasSuffix("&") ? "" : "&"
        return TargetURI(origin: origin, path: path + separator + query, userInformation: userInformation)
    }

    /// The target that `reference` means when it stands in an answer to this one.
    ///
    /// See RFC 3986 §5.2, https://www.rfc-editor.org/rfc/rfc3986.html#section-5.2
    ///
    /// - Throws: `ApusError` with the code `invalidURL`.
    public func resolving(_ reference: String) throws(ApusError) -> TargetURI {
        try resolving(octets: Array(reference.utf8))
    }

    /// The same for a reference as it was received, which may be no UTF-8.
    func resolving(octets reference: [UInt8]) throws(ApusError) -> TargetURI {
        try TargetURI(octets: ReferenceResolution.resolve(reference, against: self))
    }
}

extension TargetURI {
    /// Whether it is the same without a look: equal ones may not be.
    func isIdentical(to other: TargetURI) -> Bool { parts === other.parts }

    public static func == (one: TargetURI, other: TargetURI) -> Bool {
        one.isIdentical(to: other)
            || one.origin == other.origin && one.path == other.path && one.userInformation == other.userInformation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(path)
        hasher.combine(userInformation)
    }
}

extension TargetURI.UserInformation: CustomStringConvertible, CustomDebugStringConvertible {
    /// Neither the user name nor the password.
    public var description: String { Redaction.mark }

    public var debugDescription: String { description }
}

extension TargetURI: CustomStringConvertible {
    /// The URI as it may be shown: without user name and password, and without the values of its query; `uri` has them.
    public var description: String { Redaction.url(uri) }
}
