internal import HTTPTypes

extension RequestMessage {
    /// Sets the body of the request, and its content type unless the request has one.
    package mutating func setContent(_ content: some Sequence<UInt8>, type: String) {
        body = .chunk(BodyChunk(content))
        if !fields.contains(.contentType) { fields[.contentType] = type }
    }
}
