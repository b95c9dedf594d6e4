internal import ApusCore

/// What is wrong with a document, and at which byte.
struct XMLFault: Error {
    let message: String
    let offset: Int

    init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    /// The error that a user sees; the lines of the document, `bytes`, are counted.
    func error(in bytes: [UInt8]) -> ApusError {
        var position = XMLPosition()
        position.advance(over: bytes[..<min(offset, bytes.count)])
        return ApusError(.decodingFailed, "the XML is not acceptable at \(position): \(message)")
    }
}
