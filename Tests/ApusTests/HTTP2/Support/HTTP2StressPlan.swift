import Apus
import ApusEngine
import ApusTestServer
import Foundation
import HTTPTypes

/// The course of one request of the HTTP/2 stress test: the point at which it is cancelled, and the event that the
/// server causes. Both sides make the same plan from the number of the request and the seed.
struct HTTP2StressPlan: Sendable {
    /// The point at which a request is cancelled.
    enum Point: CaseIterable, Sendable {
        case never
        case beforeTheStart
        /// At any stage: queued, sending or receiving.
        case atARandomMoment
        /// All streams of all connections are taken.
        case whileWaitingForAStream
        /// The name server never responds.
        case inTheLookup
        /// The handshake never ends. Over plain TCP: the server never speaks.
        case inTheHandshake
        /// By its own body, after a few chunks were requested.
        case whileSending
        /// When a part of its body has arrived. The window of its stream is too small for the rest.
        case whileHeldByTheWindow
        /// The response has no end.
        case whileReceiving
        case inASerializer
        case afterTheEnd

        var moment: StressRequest.Moment {
            switch self {
            case .never: .never
            case .beforeTheStart: .beforeTheStart
            case .atARandomMoment, .whileWaitingForAStream, .inTheLookup, .inTheHandshake: .atAnyStage
            case .whileSending, .whileHeldByTheWindow: .whenTriggered
            case .whileReceiving: .whileReceiving
            case .inASerializer: .inASerializer
            case .afterTheEnd: .afterTheEnd
            }
        }

        /// Whether the server may receive the request.
        var reachesTheServer: Bool {
            switch self {
            case .beforeTheStart, .whileWaitingForAStream, .inTheLookup, .inTheHandshake: false
            default: true
            }
        }

        /// Whether some of the requests cancelled at this point must fail with `cancelled`.
        var endsInCancellation: Bool { ![.never, .inASerializer, .afterTheEnd].contains(self) }
    }

    /// An event that the server causes.
    enum Event: CaseIterable, Sendable {
        case nothing
        /// REFUSED_STREAM, at the first one or two times.
        case refusal
        /// RST_STREAM with another code, instead of a response.
        case reset
        case resetInsideTheBody
        /// A GOAWAY that may exclude this stream and others.
        case goAway
        case close
        case closeInsideTheBody
        /// SETTINGS that lower and raise the limit on streams and their windows.
        case settings
        case ping
        case informational
        case trailers
        /// The window for the request's body opens late.
        case lateWindow
        /// The response does not wait for the request's body.
        case earlyResponse

        /// The share of the requests in percent.
        var share: Int {
            switch self {
            case .nothing: 58
            case .close, .closeInsideTheBody: 2
            case .reset, .resetInsideTheBody, .goAway, .earlyResponse: 3
            case .informational, .trailers, .lateWindow, .ping: 4
            case .refusal, .settings: 5
            }
        }
    }

    /// The URLs that requests go to.
    struct Endpoints: Sendable {
        let origin: String
        /// A server all of whose streams are taken.
        let busy: String
        let unresolved: String
        let stalled: String
    }

    private static let events = Event.allCases.flatMap { [Event](repeating: $0, count: $0.share) }
    private static let methods: [HTTPRequest.Method] = [.get, .get, .get, .post, .post, .put]
    private static let sizes = [300, 5000, 40_000]
    private static let pattern = TestServer.pattern(count: 41_000)
    private static let codes = [
        HTTP2ErrorCode.internalError, .cancel, .enhanceYourCalm, HTTP2ErrorCode(rawValue: 0x1234),
    ]
    private static let chunk = BodyChunk(repeatElement(0x78, count: 4096))

    let number: Int
    let point: Point
    let event: Event
    let form: Form
    let method: HTTPRequest.Method
    /// The size of a request's body that has an end.
    let requestBytes: Int
    let isStreamed: Bool
    let responseBytes: Int
    /// Any number for a choice of the server.
    let choice: Int
    /// The number of turns of other tasks before the cancellation.
    let yieldCount: Int
    /// The number of turns of other tasks between the steps of the server.
    let pauseCount: Int

    init(_ number: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 0xD134_2543_DE82_EF95 &+ UInt64(number))
        let isCancelled = Bool.random(using: &generator)
        let point = Point.allCases.randomElement(using: &generator) ?? .never
        self.number = number
        self.point = isCancelled ? point : .never
        event = Self.events.randomElement(using: &generator) ?? .nothing
        form = Form.allCases.randomElement(using: &generator) ?? .direct
        let method = Self.methods.randomElement(using: &generator) ?? .get
        switch self.point {
        case .whileSending, .whileHeldByTheWindow: self.method = .post
        case .whileReceiving: self.method = .get
        default: self.method = method
        }
        let largestRequest = Self.sizes.randomElement(using: &generator) ?? 1
        requestBytes = Int.random(in: 1...largestRequest, using: &generator)
        isStreamed = Bool.random(using: &generator)
        let largestResponse = Self.sizes.randomElement(using: &generator) ?? 1
        responseBytes = Int.random(in: 1...largestResponse, using: &generator)
        choice = Int.random(in: 0..<1000, using: &generator)
        yieldCount = Int.random(in: 0..<300, using: &generator)
        pauseCount = Int.random(in: 0..<20, using: &generator)
    }

    // MARK: Request

    var hasContent: Bool { method != .get }

    func message(to endpoints: Endpoints, _ trigger: Trigger) throws -> RequestMessage {
        let url: String =
            switch point {
            case .whileWaitingForAStream: endpoints.busy
            case .inTheLookup: endpoints.unresolved
            case .inTheHandshake: endpoints.stalled
            default: "\(endpoints.origin)/\(number)"
            }
        return try RequestMessage(url, method: method, body: body(trigger))
    }

    private func body(_ trigger: Trigger) -> RequestBody {
        switch point {
        case .whileSending: return Self.longBody { if $0 == 4 { trigger.fire() } }
        case .whileHeldByTheWindow: return Self.longBody { _ in }
        default: break
        }
        guard hasContent else { return RequestBody.none }
        let content = bytes(requestBytes)
        return isStreamed ? Self.streamed(content) : .bytes(Data(content))
    }

    /// Returns a stream of 4 MB. It calls `note` with the number of each chunk that is requested.
    private static func longBody(_ note: @escaping @Sendable (Int) -> Void) -> RequestBody {
        RequestBody.replayable {
            let requested = Tally()
            return AsyncStream<BodyChunk>(unfolding: {
                let number = requested.countUp()
                note(number)
                return number < 1000 ? Self.chunk : nil
            })
        }
    }

    private static func streamed(_ content: [UInt8]) -> RequestBody {
        RequestBody.replayable {
            AsyncStream<BodyChunk> { stream in
                for start in stride(from: 0, to: content.count, by: 3000) {
                    stream.yield(BodyChunk(content[start..<min(start + 3000, content.count)]))
                }
                stream.finish()
            }
        }
    }

    // MARK: Server

    /// Whether the window of the stream opens only by calls of the responder.
    var holdsWindow: Bool { point == .whileHeldByTheWindow || event == .lateWindow }

    var resetCode: HTTP2ErrorCode { Self.codes[choice % Self.codes.count] }

    /// Returns the content of a body. That of another request differs.
    func bytes(_ count: Int) -> [UInt8] {
        let start = number % 251
        return Array(Self.pattern[start..<(start + count)])
    }

    /// The number of times that the client may send the request without a refusal.
    var maximumCount: Int { method == .post ? 1 : 2 }

    // MARK: Outcome

    /// The body of a complete response. `nil` if there can be none.
    private var expectedBody: Data? {
        guard point.reachesTheServer else { return nil }
        if event == .earlyResponse, hasContent { return Data(bytes(responseBytes)) }
        switch point {
        case .whileSending, .whileHeldByTheWindow, .whileReceiving: return nil
        default: return Data(bytes(hasContent ? requestBytes : responseBytes))
        }
    }

    /// Returns the reason why an outcome is wrong. `nil` if it is a right one.
    func objection(to outcome: StressRequest.Outcome) -> String? {
        switch outcome {
        case .body(let data):
            return data == expectedBody ? nil : "a body of \(data.count) bytes"
        case .success:
            return point == .whileReceiving || point == .inASerializer ? nil : "a success without a body"
        case .failure(let error):
            let resends = error.exchanges.last?.resendCount ?? 0
            return isAllowed(error) ? nil : "\(error), after \(resends) resends"
        }
    }

    private func isAllowed(_ error: ApusError) -> Bool {
        guard point.reachesTheServer else { return error.code == .cancelled }
        let failure = error.underlying as? HTTP2StreamFailure
        // A request that no server has processed is given up only after three resends.
        if failure?.isUnprocessed == true, let last = error.exchanges.last, last.resendCount < 3 { return false }
        switch error.code {
        case .cancelled: return point.endsInCancellation || point == .inASerializer && form == .handle
        // Other requests on its connection may cause a GOAWAY or the close.
        case .connectionClosed: return true
        case .streamReset where failure?.code == .refusedStream: return failure?.isUnprocessed == true
        case .streamReset: return [.reset, .resetInsideTheBody].contains(event) && failure?.code == resetCode
        default: return false
        }
    }
}

extension HTTP2StressPlan: CustomStringConvertible {
    var description: String { "request \(number), \(method) by \(form), cancelled: \(point), event: \(event)" }
}
