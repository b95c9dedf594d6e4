extension Cookie {
    /// The problem with the parts of a cookie, or `nil` if it is valid.
    var fault: String? {
        if name.isEmpty, value.isEmpty { return "it has neither a name nor a value" }
        if !Self.standsInField(name) || name.utf8.contains(UInt8(ascii: "=")) {
            return "its name has a control character, a semicolon or an equals sign, or white space around it"
        }
        if !Self.standsInField(value) {
            return "its value has a control character or a semicolon, or white space around it"
        }
        // A path may have a semicolon, because it is not written to a field: the default path of `/a;b/c` has one.
        if path.utf8.first != UInt8(ascii: "/") || !path.utf8.allSatisfy(Self.isNoControl) {
            return "its path does not begin with a slash, or has a control character"
        }
        guard !domain.isEmpty, domain.utf8.count <= CookieScope.longestHost,
            domain.utf8.allSatisfy(CookieScope.isHostByte)
        else {
            return "its domain is neither a host name in punycode nor an address"
        }
        return nil
    }

    /// Whether the cookie meets the requirements of its name prefix, RFC 6265bis §4.1.3.
    ///
    /// For a cookie without a name, the value is checked, because a server could read it as a name.
    var keepsPrefixPromise: Bool {
        let shown = name.isEmpty ? value : name
        let isHost = Self.promisesHost(shown)
        guard isHost || Self.begins(shown, with: "__secure-") else { return true }
        return !name.isEmpty && isSecure && (!isHost || isHostOnly && path == "/")
    }

    /// Returns whether a name begins with `__Host-`, which is case-insensitive.
    static func promisesHost(_ name: String) -> Bool { begins(name, with: "__host-") }

    private static func begins(_ text: String, with prefix: StaticString) -> Bool {
        let bytes = text.utf8.prefix(prefix.utf8CodeUnitCount)
        return prefix.withUTF8Buffer { prefix in
            bytes.elementsEqual(prefix) { $0 == $1 || (0x41...0x5A).contains($0) && $0 | 0x20 == $1 }
        }
    }

    private static func standsInField(_ text: String) -> Bool {
        let bytes = text.utf8
        func isSpace(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
        return !isSpace(bytes.first) && !isSpace(bytes.last)
            && bytes.allSatisfy { isNoControl($0) && $0 != UInt8(ascii: ";") }
    }

    /// Returns whether a byte is allowed in a field. The tab is.
    static func isNoControl(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
