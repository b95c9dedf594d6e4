import ApusEngine
import HTTPTypes

/// The state of one stream of an `HTTP2Server`. Confined to the event loop.
final class HTTP2ServerStreamState {
    /// Bytes of the response that wait for their turn or for a window.
    struct Sending {
        var rest: ArraySlice<UInt8>
        let ends: Bool
        let completion: @Sendable (Bool) -> Void
    }

    let stream: HTTP2ServerStream
    /// The number of bytes that the client accepts.
    var sendWindow: Int
    /// The number of bytes that the client may send.
    var receiveWindow: Int
    /// Whether the window opens only by calls of the responder.
    var isWindowHeld = false
    var isRequestEnded = false
    var isResponseEnded = false
    /// The bytes to send, the next ones first.
    var sendings: [Sending] = []
    /// Runs the responder.
    var task: Task<Void, Never>?

    init(_ stream: HTTP2ServerStream, sendWindow: Int, receiveWindow: Int) {
        self.stream = stream
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    /// Ends the stream. Its responder is cancelled unless the response was complete.
    ///
    /// - Parameter code: The code with which the client has reset it. `nil` if it has not.
    func end(_ code: HTTP2ErrorCode? = nil) {
        let rest = sendings
        sendings = []
        for sending in rest { sending.completion(false) }
        stream.progress.change { progress in
            progress.resetCode = code
            progress.isOver = true
        }
        task?.cancel()
        task = nil
    }
}
