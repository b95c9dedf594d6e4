import ApusCore
import ApusEngine
import ApusTestServer
import HTTPTypes
import NIOCore

/// One connection of an `HTTP2Server`, for use from any thread. Its frames are sent in the order of the calls.
final class HTTP2ServerConnection: Sendable {
    /// The number of the connection, from 1 in the order of acceptance.
    let number: Int

    private let channel: any Channel
    private let handler: NIOLoopBound<HTTP2ServerHandler>
    private let door: ServerDoor

    /// To be called on the event loop.
    init(number: Int, channel: any Channel, handler: HTTP2ServerHandler, door: ServerDoor) {
        self.number = number
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        self.door = door
    }

    /// Calls `body` on the event loop. Returns `false` if the server has stopped, and discards the call then.
    @discardableResult
    func onLoop(_ body: @escaping @Sendable (HTTP2ServerHandler) -> Void) -> Bool {
        let handler = handler
        return door.enter { body(handler.value) }
    }

    /// Sends any bytes, in one write.
    func send(_ bytes: [UInt8]) {
        onLoop { $0.write(bytes) }
    }

    /// Sends GOAWAY. Streams above `lastStream` are forgotten, and later ones are ignored.
    ///
    /// - Parameters:
    ///   - lastStream: The last stream that the server processes. `nil` for the last one that was opened.
    ///   - code: The reason. Default: NO_ERROR.
    ///   - text: The text beside it. Default: none.
    func goAway(lastStream: Int32? = nil, _ code: HTTP2ErrorCode = .noError, _ text: String = "") {
        onLoop { $0.goAway(lastStream: lastStream, code, text) }
    }

    /// Sends SETTINGS. They apply to the client once it has acknowledged them.
    func change(_ settings: [HTTP2ServerSetting]) {
        onLoop { $0.change(settings) }
    }

    /// Opens the window of the connection.
    func openWindow(by count: Int) {
        onLoop { $0.openWindow(of: 0, by: count) }
    }

    /// Returns when the frames of all earlier calls have been passed to the socket.
    func settle() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isTaken = onLoop { _ in continuation.resume() }
            if !isTaken { continuation.resume() }
        }
    }

    /// Closes the socket, without a close_notify, and returns when it is closed.
    func close() async {
        onLoop { $0.close() }
        try? await channel.closeFuture.awaited
    }

    /// Waits for a duration.
    func pause(_ time: Duration) async {
        try? await channel.eventLoop.scheduleTask(in: TimeAmount(time)) {}.futureResult.awaited
    }
}
