internal import HTTPTypes

extension RequestMessage {
    /// Gives the request a content, and its type where the request names none.
    package mutating func setContent(_ content: some Sequence<UInt8>, type: String) {
        body = .chunk(BodyChunk(content))
        if !fields.contains(.contentType) { fields[.contentType] = type }
    }
}
