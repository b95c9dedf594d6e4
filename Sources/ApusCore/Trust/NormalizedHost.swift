/// A host in the form in which hosts are compared: in lowercase, with A-labels, and without a trailing dot.
package struct NormalizedHost: Hashable {
    /// The name, or the bytes of an IPv6 address in hexadecimal digits.
    package let text: String
    /// Whether it is an IP address, which no wildcard stands for.
    package let isAddress: Bool

    /// Returns `nil` if the text is no host. An IPv6 address may have brackets.
    package init?(_ text: String) {
        if text.utf8.contains(UInt8(ascii: ":")) {
            guard let address = Self.address(text) else { return nil }
            self.text = address
            self.isAddress = true
            return
        }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x80 || TargetURIParser.isHostByte($0) }),
            let host = try? TargetURI("https://\(text)/").origin.host
        else { return nil }
        let name = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty }), let last = labels.last else { return nil }
        self.text = name
        self.isAddress = last.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns the bytes of an IPv6 address, since it can be written in several ways.
    private static func address(_ text: String) -> String? {
        let hasBrackets = text.hasPrefix("[") && text.hasSuffix("]")
        guard let address = IPAddress(hasBrackets ? String(text.dropFirst().dropLast()) : text), address.scope == 0
        else { return nil }
        return address.bytes.map { String($0 >> 4, radix: 16) + String($0 & 0x0F, radix: 16) }.joined()
    }
}
