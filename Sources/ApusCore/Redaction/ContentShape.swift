/// Classifies a body by its media type and its bytes, for the search for secrets. The media type alone is not reliable:
/// curl, for example, labels every body as a form.
package struct ContentShape {
    /// Whether it is a form, `a=b&c=d`.
    ///
    /// See https://url.spec.whatwg.org/#application/x-www-form-urlencoded
    package let isForm: Bool
    /// Whether it has parts. The parts' names show which values are secret, but are not next to the values.
    package let hasParts: Bool
    /// Whether the whole body is a secret token.
    package let isToken: Bool

    package init(_ content: some Collection<UInt8>, contentType: String?) {
        let type = contentType.flatMap { MediaType($0) }
        let isLabelled = type.map { "\($0.type)/\($0.subtype)" } == "application/x-www-form-urlencoded"
        isForm = isLabelled && Self.looksLikeForm(content)
        hasParts = type?.type == "multipart" || Self.namesParts(content)
        isToken = type?.isToken == true
    }

    private static func looksLikeForm(_ content: some Collection<UInt8>) -> Bool {
        content.contains(UInt8(ascii: "="))
            && !content.contains { $0 <= UInt8(ascii: " ") || "{}\"<>\\".utf8.contains($0) }
    }

    private static func namesParts(_ content: some Collection<UInt8>) -> Bool {
        let name = Array("content-disposition:".utf8)
        var matched = 0
        for byte in content {
            let letter = byte | 0x20
            matched = letter == name[matched] ? matched + 1 : letter == name[0] ? 1 : 0
            if matched == name.count { return true }
        }
        return false
    }
}
