/// A URL without user name, password, fragment, and the values of its query and path parameters.
///
/// It works on bytes: a combining character after a `?` or an `@` forms one `Character` with it, but servers still
/// treat the `?` or `@` as a separator.
package struct RedactedURL {
    /// Decides whether a value may be shown, given its name. Both keep their escapes.
    package typealias Decision = (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool

    private static let mark = Array("…".utf8)
    private static let ends = ByteSet("/?#")
    private static let authorityEnds = ByteSet("/?#\\")

    private let isShown: Decision

    /// - Parameters:
    ///   - url: The URL or URL reference.
    ///   - isShown: Whether a value may be shown. Not called for a URL with a user name or password, since it may be
    ///     malformed and contain more of them.
    /// - Returns: The URL without its secrets.
    package static func text(_ url: String, showing isShown: Decision) -> String {
        let bytes = Array(url.utf8)
        let (plain, pathStart) = withoutUserInformation(bytes)
        let hasUser = plain != bytes
        return withoutActuallyEscaping(isShown) { isShown in
            let shown = RedactedURL(isShown: hasUser ? { _, _ in false } : isShown)
            return String(decoding: shown.shown(plain[...], pathStart), as: UTF8.self)
        }
    }

    private func shown(_ url: ArraySlice<UInt8>, _ pathStart: Int) -> [UInt8] {
        let hash = url.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        let question = url[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        let start = min(pathStart, question)
        var shown = Array(url[..<start]) + path(url[start..<question])
        if question < hash {
            shown.append(UInt8(ascii: "?"))
            shown += pairs(url[(question + 1)..<hash])
        }
        return hash < url.endIndex ? shown + [UInt8(ascii: "#")] + Self.mark : shown
    }

    /// Returns a query or a form without its secrets.
    package static func pairs(_ query: String, showing isShown: Decision) -> String {
        withoutActuallyEscaping(isShown) { isShown in
            String(decoding: RedactedURL(isShown: isShown).pairs(Array(query.utf8)[...]), as: UTF8.self)
        }
    }

    private func pairs(_ query: ArraySlice<UInt8>) -> [UInt8] {
        let parts = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map(pair)
        return Array(parts.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Returns a path without the values of its parameters: `/users;jsessionid=…/1`.
    private func path(_ path: ArraySlice<UInt8>) -> [UInt8] {
        guard path.contains(UInt8(ascii: ";")) else { return Array(path) }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
            let parts = segment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            let shown = parts.enumerated().map { $0.offset == 0 ? Array($0.element) : parameter($0.element) }
            return Array(shown.joined(separator: [UInt8(ascii: ";")]))
        }
        return Array(segments.joined(separator: [UInt8(ascii: "/")]))
    }

    private func parameter(_ part: ArraySlice<UInt8>) -> [UInt8] {
        // The parameter of a `Refresh` field, `5; url=next`, is itself a URL.
        let name = part.drop { $0 == 0x20 }.prefix { $0 != UInt8(ascii: "=") }
        if name.map({ $0 | 0x20 }) == Array("url".utf8) { return Array(part) }
        // A name without a value hides nothing. However, a secret in Base64 may end in an equals sign too.
        let isName = name.endIndex + 1 == part.endIndex && !Self.isBareSecret(part)
        return isName ? Array(part) : pair(part)
    }

    private func pair(_ part: ArraySlice<UInt8>) -> [UInt8] {
        if Self.isBareSecret(part) { return Self.mark }
        guard let sign = part.firstIndex(of: UInt8(ascii: "=")) else { return Array(part) }
        let value = part[(sign + 1)...]
        return isShown(part[..<sign], value) ? Array(part) : part[...sign] + Self.mark
    }

    /// Whether a part of a query is a secret without a name. Base64 padding is not a name-value separator.
    package static func isBareSecret(_ part: ArraySlice<UInt8>) -> Bool {
        let sign = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        guard part[sign...].count <= 2, part[sign...].allSatisfy({ $0 == UInt8(ascii: "=") }) else { return false }
        // Bytes that are invalid in URLs separate possible tokens from other text.
        return part[..<sign].split { !(0x21...0x7E).contains($0) }.contains(where: RandomText.isLikely)
    }

    // MARK: User names

    /// Returns the URL without its user information, and the start of its path.
    private static func withoutUserInformation(_ url: [UInt8]) -> ([UInt8], pathStart: Int) {
        var shown = withWholeAuthority(url)
        let slashes = shown.indices.first { shown[$0...].starts(with: "//".utf8) }
        // A double slash within a path or a query does not begin an authority.
        let before = shown[..<(slashes ?? 0)]
        let hasAuthority =
            slashes != nil && (before.isEmpty || before.last == UInt8(ascii: ":"))
            && !before.contains(where: ends.contains)
        let start = hasAuthority ? (slashes ?? 0) + 2 : 0
        var end = shown[start...].firstIndex(where: authorityEnds.contains) ?? shown.endIndex
        let authority = shown[start..<end]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            shown.removeSubrange(start...at)
            end -= at - start + 1
        } else if hasAuthority, authority.first != UInt8(ascii: "["),
            let colon = authority.firstIndex(of: UInt8(ascii: ":")),
            !authority[(colon + 1)...].allSatisfy({ (0x30...0x39).contains($0) })
        {
            // The port is invalid: either a password contains a character that ends the authority, or the host is
            // missing.
            if let at = shown[end...].lastIndex(of: UInt8(ascii: "@")) {
                shown.removeSubrange(start...at)
                end = shown[start...].firstIndex(where: authorityEnds.contains) ?? shown.endIndex
            } else {
                shown.replaceSubrange(colon..<end, with: [UInt8(ascii: ":")] + mark)
                end = colon + 1 + mark.count
            }
        }
        return (shown, hasAuthority ? end : 0)
    }

    /// Corrects a web URL that has one slash, three slashes or backslashes after its scheme, which browsers accept.
    /// Then the user information before an `@` is found.
    private static func withWholeAuthority(_ url: [UInt8]) -> [UInt8] {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), colon <= 5,
            ["http", "https"].contains(String(decoding: url[..<colon], as: UTF8.self).lowercased())
        else { return url }
        let rest = url[(colon + 1)...]
        let behind = rest.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let slashes = rest[..<behind.startIndex]
        guard !slashes.isEmpty, !slashes.elementsEqual("//".utf8) else { return url }
        return Array(url[...colon]) + "//".utf8 + behind
    }
}
