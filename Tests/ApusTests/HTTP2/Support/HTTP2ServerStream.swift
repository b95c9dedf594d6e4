import ApusCore
import ApusEngine
import ApusTestServer
import HTTPTypes

/// One request to an `HTTP2Server`, and its response. For use from any thread.
///
/// Calls for a stream that has ended have no effect.
final class HTTP2ServerStream: Sendable {
    struct Progress: Sendable {
        /// The received part of the request's body.
        var body: [UInt8] = []
        /// The trailer fields of the request, with names in lower case.
        var trailers: [(name: String, value: String)] = []
        var isRequestEnded = false
        /// The number of bytes of the response's body that were sent.
        var sentBytes = 0
        /// Whether bytes of the response wait for a window.
        var isBlocked = false
        /// The code with which the client has reset the stream.
        var resetCode: HTTP2ErrorCode?
        /// Whether nothing more is received or sent.
        var isOver = false
    }

    let request: HTTP2ServerRequest
    let connection: HTTP2ServerConnection
    let progress = Watched(Progress())

    init(_ request: HTTP2ServerRequest, _ connection: HTTP2ServerConnection) {
        self.request = request
        self.connection = connection
    }

    var id: Int32 { request.stream }

    // MARK: Request

    /// Returns the body of the request once it is complete, or the received part of it after a reset.
    func body() async -> [UInt8] {
        await progress.wait { $0.isRequestEnded || $0.isOver }
        return progress.value.body
    }

    /// Returns the trailer fields of the request once it is complete, each as `name: value`.
    func requestTrailers() async -> [String] {
        _ = await body()
        return progress.value.trailers.map { "\($0.name): \($0.value)" }
    }

    /// Waits until this number of bytes of the request's body has arrived.
    func waitForBytes(_ count: Int) async {
        await progress.wait { $0.body.count >= count || $0.isOver }
    }

    /// Waits until the client resets the stream, and returns its code. `nil` if the stream has ended otherwise.
    func resetCode() async -> HTTP2ErrorCode? {
        await progress.wait { $0.isOver }
        return progress.value.resetCode
    }

    /// Opens the window for the request's body.
    func openWindow(by count: Int) {
        let id = id
        connection.onLoop { $0.openWindow(of: id, by: count) }
    }

    // MARK: Response

    /// Sends a head, informational or final.
    func head(_ status: Int = 200, _ fields: [(String, String)] = [], ends: Bool = false) {
        lines([(":status", String(status))] + fields, ends: ends)
    }

    /// Sends trailers, which end the stream.
    func trailers(_ fields: [(String, String)]) {
        lines(fields, ends: true)
    }

    /// Sends any header block.
    func lines(_ lines: [(String, String)], ends: Bool) {
        let id = id
        connection.onLoop { $0.sendHeaders(lines, on: id, ends: ends) }
    }

    /// Sends bytes of the body as the windows allow, and returns when all were sent.
    ///
    /// - Returns: `false` if the stream has ended before.
    @discardableResult
    func send(_ bytes: [UInt8], ends: Bool = false) async -> Bool {
        let id = id
        return await withUnsafeContinuation { (continuation: UnsafeContinuation<Bool, Never>) in
            let isTaken = connection.onLoop { handler in
                handler.send(bytes, on: id, ends: ends) { continuation.resume(returning: $0) }
            }
            if !isTaken { continuation.resume(returning: false) }
        }
    }

    /// Sends text as a part of the body.
    @discardableResult
    func send(_ text: String, ends: Bool = false) async -> Bool {
        await send(Array(text.utf8), ends: ends)
    }

    /// Sends a whole response.
    func respond(_ text: String = "hi", status: Int = 200, _ fields: [(String, String)] = []) async {
        await respond(bytes: Array(text.utf8), status: status, fields)
    }

    /// Sends a whole response.
    func respond(bytes: [UInt8], status: Int = 200, _ fields: [(String, String)] = []) async {
        head(status, fields + [("content-length", String(bytes.count))], ends: bytes.isEmpty)
        if !bytes.isEmpty { await send(bytes, ends: true) }
    }

    /// Resets the stream.
    func reset(_ code: HTTP2ErrorCode) {
        let id = id
        connection.onLoop { $0.reset(id, code) }
    }

    /// Waits for a duration.
    func pause(_ time: Duration) async {
        await connection.pause(time)
    }
}
