extension Cookie {
    /// What is wrong with the parts of a cookie; `nil` where nothing is.
    var fault: String? {
        if name.isEmpty, value.isEmpty { return "it has neither a name nor a value" }
        if !Self.standsInField(name) || name.utf8.contains(UInt8(ascii: "=")) {
            return "its name has a control character, a semicolon or an equals sign, or white space around it"
        }
        if !Self.standsInField(value) {
            return "its value has a control character or a semicolon, or white space around it"
        }
        // It stands in no field: the default path of `/a;b/c` has a semicolon.
        if path.utf8.first != UInt8(ascii: "/") || !path.utf8.allSatisfy(Self.isNoControl) {
            return "its path does not begin with a slash, or has a control character"
        }
        guard !domain.isEmpty, domain.utf8.count <= CookieScope.longestHost,
            domain.utf8.allSatisfy(CookieScope.isHostByte)
        else {
            return "its domain is no name of a host in punycode, and no address"
        }
        return nil
    }

    /// Whether it has what the prefix of its name promises, RFC 6265bis §4.1.3.
    ///
    /// A cookie without a name whose value looks like such a name would be read as one by the server.
    var keepsPrefixPromise: Bool {
        let shown = name.isEmpty ? value : name
        let isHost = Self.promisesHost(shown)
        guard isHost || Self.begins(shown, with: "__secure-") else { return true }
        return !name.isEmpty && isSecure && (!isHost || isHostOnly && path == "/")
    }

    /// Whether a name begins with `__Host-`, in whatever letters.
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

    /// Whether a byte may stand in a field: the tab may.
    static func isNoControl(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
