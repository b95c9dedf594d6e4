internal import ApusCore

/// An error in a document, with the offset of its byte.
struct XMLFault: Error {
    /// The kind of the error, as the predicate of its sentence.
    enum Kind: String {
        case malformed = "is not well-formed"
        case unsupported = "is not supported"
        case limit = "exceeds a limit"
    }

    let kind: Kind
    let message: String
    let offset: Int

    init(_ message: String, _ kind: Kind = .malformed, at offset: Int) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    /// Returns the error for the caller, with the line and column in the document `bytes`.
    func error(in bytes: [UInt8]) -> ApusError {
        var position = XMLPosition()
        position.advance(over: bytes[..<min(offset, bytes.count)])
        return ApusError(.decodingFailed, "the XML \(kind.rawValue) at \(position): \(message)")
    }
}
