/// Keyed hashing. RFC 2104, https://www.rfc-editor.org/rfc/rfc2104.html
enum HMAC {
    /// Returns the HMAC-SHA-256 of the UTF-8 bytes of `text`.
    static func sha256(key: [UInt8], _ text: String) -> [UInt8] {
        var key = key.count > SHA256.blockBytes ? HashFunction.sha256.hash(key) : key
        key += [UInt8](repeating: 0, count: SHA256.blockBytes - key.count)
        let inner = HashFunction.sha256.hash(key.map { $0 ^ 0x36 } + text.utf8)
        return HashFunction.sha256.hash(key.map { $0 ^ 0x5C } + inner)
    }
}
