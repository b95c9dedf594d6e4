internal import ApusEngine
internal import HTTPTypes
internal import NIOCore

/// The client of Apus for one connection. It reads the frames of a server one by one.
struct ApusHTTP2Client {
    private var machine: HTTP2ConnectionStateMachine
    private var input = ByteBuffer()
    private(set) var outcome: HTTP2Outcome
    /// The reasons for the faults in the last frame.
    private(set) var reason = ""

    /// Opens the streams of a connection.
    init(_ connection: HTTP2Case) throws {
        let limits = HTTP2Limits(
            streamWindowBytes: connection.streamWindowBytes,
            connectionWindowBytes: 65_535
        )
        machine = HTTP2ConnectionStateMachine(limits: limits)
        outcome = HTTP2Outcome(connection.requests)
        machine.start()
        for request in connection.requests {
            _ = try machine.open(
                method: HTTPRequest.Method(request.method) ?? .get,
                scheme: "https",
                authority: request.authority,
                path: "/",
                fields: HTTPFields(),
                framing: request.isOpen ? .chunked : .none
            )
        }
        takeOutput()
    }

    /// The code of the connection's failure.
    var failureCode: UInt32? { machine.failure?.code.rawValue }

    mutating func cancel(_ stream: Int32) {
        machine.cancel(stream)
        takeOutput()
    }

    mutating func receive(_ frame: [UInt8]) {
        input.writeBytes(frame)
        var events: [HTTP2ConnectionStateMachine.Event] = []
        machine.receive(&input, at: 1) { (event: HTTP2ConnectionStateMachine.Event) in events.append(event) }
        reason = machine.failure?.reason ?? ""
        for event in events { note(event) }
        outcome.isFailed = machine.failure != nil
        takeOutput()
    }

    private mutating func takeOutput() {
        guard let output = machine.takeOutput() else { return }
        for frame in HTTP2SentFrame.all(in: Array(output.readableBytesView)) ?? [] {
            guard frame.type == HTTP2Peer.Kind.reset else { continue }
            outcome.streams[frame.stream]?.isReset = true
        }
    }

    private mutating func note(_ event: HTTP2ConnectionStateMachine.Event) {
        switch event {
        case .informational(let stream, let head):
            outcome.streams[stream]?.informational.append(String(head.status.code))
        case .head(let stream, let head, _):
            outcome.streams[stream]?.status = String(head.status.code)
            outcome.streams[stream]?.fields = HTTP2OutcomeFields.head(Self.lines(head.fields))
        case .body(let stream, let part):
            outcome.streams[stream]?.body.append(contentsOf: part.readableBytesView)
        case .end(let stream, let trailers):
            outcome.streams[stream]?.trailers = HTTP2OutcomeFields.trailers(Self.lines(trailers ?? HTTPFields()))
            outcome.streams[stream]?.end = .complete
        case .failed(let stream, let failure): noteFailure(failure, of: stream)
        case .writable, .requestNotWanted, .goneAway, .pong: break
        }
    }

    private mutating func noteFailure(_ failure: HTTP2StreamFailure, of stream: Int32) {
        switch failure.cause {
        case .reset: outcome.streams[stream]?.end = .resetByServer
        case .goneAway: outcome.streams[stream]?.end = .excluded
        case .malformed: reason = failure.reason
        case .connectionFailed, .connectionClosed: break
        }
    }

    private static func lines(_ fields: HTTPFields) -> [(name: String, value: String)] {
        fields.map { (field: HTTPField) -> (name: String, value: String) in
            let value = field.withUnsafeBytesOfValue { (octets: UnsafeBufferPointer<UInt8>) -> String in
                String(decoding: octets, as: UTF8.self)
            }
            return (name: field.name.rawName, value: value)
        }
    }
}
