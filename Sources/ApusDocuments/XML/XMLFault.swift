internal import ApusCore

/// An error in a document, with the offset of its byte.
struct XMLFault: Error {
    let message: String
    let offset: Int

    init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }

    /// Returns the error for the caller, with the line and column in the document `bytes`.
    func error(in bytes: [UInt8]) -> ApusError {
        var position = XMLPosition()
        position.advance(over: bytes[..<min(offset, bytes.count)])
        return ApusError(.decodingFailed, "the XML is not acceptable at \(position): \(message)")
    }
}
