internal import ApusCore

/// The domains under which independent parties register names: `com`, `co.uk`, `github.io`.
///
/// A cookie for such a domain would be sent to unrelated sites, so it is rejected. Both sections of the list are used:
/// the suffixes of registries and those of companies. A top-level domain that is not listed also counts as a public
/// suffix.
///
/// ```swift
/// let list = PublicSuffixList.embedded
/// let domain = list.registrableDomain(of: "www.example.co.uk")
/// ```
///
/// See https://publicsuffix.org/list/ and RFC 6265bis §5.7,
/// https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis-20#section-5.7
public struct PublicSuffixList: Sendable {
    /// The list built into the library. `Scripts/public-suffixes` generates it.
    public static let embedded = PublicSuffixList(text)

    /// The date of the list, in its original format.
    public var version: String { Self.source.version }

    private let tree: PublicSuffixTree

    private init(_ text: StaticString) {
        self.tree = PublicSuffixTree(text)
    }

    /// Returns whether a domain is a public suffix, so that independent parties can register names directly under it.
    ///
    /// - Parameter domain: The domain, in any case.
    /// - Returns: `false` for an IP address or an invalid host name.
    public func isPublicSuffix(_ domain: String) -> Bool {
        withName(domain) { name, suffix in suffix == name.startIndex } ?? false
    }

    /// Returns the registrable domain: a public suffix and one more label.
    ///
    /// - Parameter domain: The domain or one of its subdomains, in any case.
    /// - Returns: The domain in lowercase punycode, or `nil` for a public suffix, an address or an invalid name.
    public func registrableDomain(of domain: String) -> String? {
        withName(domain) { name, suffix in
            guard suffix > name.startIndex else { return nil }
            return String(decoding: name[Self.labelStart(in: name, before: suffix)...], as: UTF8.self)
        } ?? nil
    }

    /// Returns the start of the label that ends with the dot before `suffix`.
    private static func labelStart(in name: UnsafeBufferPointer<UInt8>, before suffix: Int) -> Int {
        name[..<(suffix - 1)].lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? name.startIndex
    }

    /// Calls a closure with the bytes of a name in lowercase punycode and the start of its public suffix.
    private func withName<Result>(_ domain: String, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Result) -> Result? {
        var name = domain
        if !domain.utf8.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) {
            // Foundation converts names to punycode, and rejects invalid ones.
            guard let target = try? TargetURI("http://\(domain)/"), target.path == "/" else { return nil }
            name = target.origin.host
        }
        guard name.utf8.allSatisfy(CookieScope.isHostByte), !CookieScope.isAddress(name.utf8) else { return nil }
        return name.withUTF8 { bytes in tree.suffix(of: bytes).map { body(bytes, $0) } }
    }
}
