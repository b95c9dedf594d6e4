internal import ApusCore
internal import ApusPlatform
internal import NIOCore

/// Describes errors of the operating system, NIO and the TLS library in words.
enum TransportFailure {
    /// Returns an error in words.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - peer: The other side of the connection, as the subject of a sentence. Default: the server.
    /// - Returns: The words, as the end of a sentence.
    static func describe(_ error: any Error, peer: String = "the server") -> String {
        switch error {
        case let error as IOError: reason(error, peer)
        case let error as ChannelError: words(for: error)
        case let error as ApusError: error.detail
        default: TLSFailure.words(for: error, peer: peer) ?? unexpected(error)
        }
    }

    private static func reason(_ error: IOError, _ peer: String) -> String {
        let text = String(cString: strerror(error.errnoCode))
        return switch error.errnoCode {
        case ECONNREFUSED: "\(text) (no server is listening)"
        case ECONNRESET, EPIPE: "\(text) (\(peer) closed the connection)"
        default: text
        }
    }

    private static func words(for error: ChannelError) -> String {
        switch error {
        case .connectTimeout: "no response"
        case .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed, .eof: "the connection was closed"
        case .writeHostUnreachable: "the host is unreachable"
        default: "the connection can't be used in its state"
        }
    }

    /// The dump of a type that does not describe itself says nothing to a reader.
    private static func unexpected(_ error: any Error) -> String {
        let type = type(of: error)
        guard type is any CustomStringConvertible.Type else { return "an unexpected error (\(type))" }
        return Redaction.text(String(describing: error))
    }
}
