internal import ApusCore

/// The domains below which strangers register their own: `com`, `co.uk`, `github.io`.
///
/// A cookie for all of them would be one for everybody, and so none is taken. Both sections of the list count, what the
/// registries of the net say and what companies say of their own domains; a top-level domain that is not in it is a public
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
    /// The list that is part of the library; `Scripts/public-suffixes` makes it.
    public static let embedded = PublicSuffixList(text)

    /// The date of the list, as its makers write it.
    public var version: String { Self.source.version }

    private let tree: PublicSuffixTree

    private init(_ text: StaticString) {
        self.tree = PublicSuffixTree(text)
    }

    /// Whether strangers register their hosts directly below a domain.
    ///
    /// - Parameter domain: The domain, in any letters.
    /// - Returns: Whether they do; `false` for an address, and for what is no name of a host.
    public func isPublicSuffix(_ domain: String) -> Bool {
        withName(domain) { name, suffix in suffix == name.startIndex } ?? false
    }

    /// The domain that somebody registered: a public suffix and one label more.
    ///
    /// - Parameter domain: The domain, or any below it, in any letters.
    /// - Returns: In small letters and punycode; `nil` for a public suffix, an address, and what is no name of a host.
    public func registrableDomain(of domain: String) -> String? {
        withName(domain) { name, suffix in
            guard suffix > name.startIndex else { return nil }
            return String(decoding: name[Self.labelStart(in: name, before: suffix)...], as: UTF8.self)
        } ?? nil
    }

    /// Where the label begins that ends with the dot before `suffix`.
    private static func labelStart(in name: UnsafeBufferPointer<UInt8>, before suffix: Int) -> Int {
        name[..<(suffix - 1)].lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? name.startIndex
    }

    /// Hands out the bytes of a name in small letters and punycode, and where its public suffix begins.
    private func withName<Result>(_ domain: String, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Result) -> Result? {
        var name = domain
        if !domain.utf8.allSatisfy({ $0 < 0x80 && !(0x41...0x5A).contains($0) }) {
            // Foundation knows punycode; what it refuses is no name.
            guard let target = try? TargetURI("http://\(domain)/"), target.path == "/" else { return nil }
            name = target.origin.host
        }
        guard name.utf8.allSatisfy(CookieScope.isHostByte), !CookieScope.isAddress(name.utf8) else { return nil }
        return name.withUTF8 { bytes in tree.suffix(of: bytes).map { body(bytes, $0) } }
    }
}
