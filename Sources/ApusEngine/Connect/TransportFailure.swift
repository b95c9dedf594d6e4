internal import ApusCore
internal import ApusPlatform
internal import NIOCore

/// Describes errors of the operating system and NIO in words.
enum TransportFailure {
    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as IOError:
            return reason(error)
        case let error as ChannelError:
            switch error {
            case .connectTimeout: return "no response"
            case .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed, .eof:
                return "the connection was closed"
            default: return "\(error)"
            }
        default:
            return Redaction.text(String(describing: error))
        }
    }

    private static func reason(_ error: IOError) -> String {
        let text = String(cString: strerror(error.errnoCode))
        return switch error.errnoCode {
        case ECONNREFUSED: "\(text) (no server is listening)"
        case ECONNRESET, EPIPE: "\(text) (the server closed the connection)"
        default: text
        }
    }
}
