import ApusCore
import ApusEngine
import HTTPTypes

/// The responses and faults of the server in the HTTP/2 stress test, by the plans of the requests.
final class HTTP2StressScript: Sendable {
    typealias Event = HTTP2StressPlan.Event

    private static let settings: [HTTP2ServerSetting] = [.concurrentStreams(6), .windowBytes(16_384)]
    private static let chunk = [UInt8](repeating: 0x78, count: 4096)

    let ledger: ProcessingLedger
    private let seed: UInt64
    private let events = Lock<[Event: Int]>([:])
    /// The triggers of the requests that are cancelled while the window holds their bodies.
    private let triggers = Lock<[Int: Trigger]>([:])

    /// - Parameters:
    ///   - requestCount: The number of requests.
    ///   - seed: The seed of the plans.
    init(requestCount: Int, seed: UInt64) {
        self.ledger = ProcessingLedger(requestCount: requestCount)
        self.seed = seed
    }

    var options: HTTP2Server.Options {
        HTTP2Server.Options(
            settings: Self.settings,
            keepsLog: false,
            holdsWindow: { [self] request in plan(of: request)?.holdsWindow ?? false }
        )
    }

    /// Fires the trigger when a part of the request's body has arrived, until it is `nil`.
    func setTrigger(_ trigger: Trigger?, for number: Int) {
        triggers.withLock { $0[number] = trigger }
    }

    /// The number of requests with an event.
    func count(of event: Event) -> Int { events.withLock { $0[event] ?? 0 } }

    // MARK: Requests

    private func plan(of request: HTTP2ServerRequest) -> HTTP2StressPlan? {
        Int(request.path.dropFirst()).map { HTTP2StressPlan($0, seed: seed) }
    }

    func respond(to stream: HTTP2ServerStream) async {
        guard let plan = plan(of: stream.request) else { return await stream.respond() }
        guard let arrival = ledger.arrive(plan.number, on: stream) else { return }
        let isFirst = arrival == 0
        if isFirst { events.withLock { $0[plan.event, default: 0] += 1 } }
        await pause(plan)
        if await accept(plan, arrival, stream), ledger.process(stream) {
            await process(plan, isFirst: isFirst, stream)
        }
        ledger.leave(stream)
    }

    private func pause(_ plan: HTTP2StressPlan) async {
        for _ in 0..<plan.pauseCount { await Task.yield() }
    }

    /// Causes the events that precede the processing. Returns `false` if the request is not processed.
    private func accept(_ plan: HTTP2StressPlan, _ arrival: Int, _ stream: HTTP2ServerStream) async -> Bool {
        switch plan.event {
        case .refusal where arrival <= plan.choice % 2:
            if plan.hasContent { await stream.waitForBytes(1) }
            ledger.refuse(stream)
            stream.reset(.refusedStream)
            return false
        case .close where arrival == 0:
            await stream.connection.close()
            return false
        case .goAway where arrival == 0:
            goAway(plan, stream.connection)
            await pause(plan)
        case .settings where arrival == 0:
            await changeSettings(plan, stream.connection)
        case .ping:
            for token in 1...3 { stream.connection.send(ServerFrame.ping([0, 0, 0, 0, 0, 0, 0, UInt8(token)])) }
        default: break
        }
        return true
    }

    private func goAway(_ plan: HTTP2StressPlan, _ connection: HTTP2ServerConnection) {
        guard let last = ledger.excludeStreams(of: connection, choice: plan.choice) else { return }
        // A graceful shutdown begins with a GOAWAY that excludes nothing, RFC 9113 §6.8.
        if plan.choice.isMultiple(of: 3) { connection.goAway(lastStream: Int32.max) }
        connection.goAway(lastStream: last, plan.choice.isMultiple(of: 5) ? plan.resetCode : .noError)
    }

    /// Lowers the limit and the windows, raises them, and ends with the first settings.
    private func changeSettings(_ plan: HTTP2StressPlan, _ connection: HTTP2ServerConnection) async {
        connection.change([.concurrentStreams(UInt32(plan.choice % 3)), .windowBytes(1000)])
        await pause(plan)
        connection.change([.concurrentStreams(20), .windowBytes(65_535)])
        await pause(plan)
        connection.change(Self.settings)
    }

    private func process(_ plan: HTTP2StressPlan, isFirst: Bool, _ stream: HTTP2ServerStream) async {
        var content = plan.bytes(plan.responseBytes)
        switch plan.event {
        case .reset:
            return stream.reset(plan.resetCode)
        case .earlyResponse where plan.hasContent:
            return await stream.respond(bytes: content)
        case .lateWindow:
            await pause(plan)
            stream.openWindow(by: 1 << 20)
        default: break
        }
        if plan.point == .whileHeldByTheWindow {
            await stream.waitForBytes(1)
            await pause(plan)
            triggers.withLock { $0[plan.number] }?.fire()
        }
        if plan.hasContent { content = await stream.body() }
        await send(content, plan, isFirst: isFirst, stream)
    }

    private func send(_ content: [UInt8], _ plan: HTTP2StressPlan, isFirst: Bool, _ stream: HTTP2ServerStream) async {
        if plan.event == .informational {
            for _ in 0..<3 { stream.head(103, [("link", "</style.css>")]) }
        }
        let hasLength = plan.choice.isMultiple(of: 2) && plan.point != .whileReceiving
        stream.head(200, hasLength ? [("content-length", String(content.count))] : [])
        let middle = content.count / 2
        if middle > 0 { await stream.send(Array(content[..<middle])) }
        switch plan.event {
        case .resetInsideTheBody:
            return stream.reset(plan.resetCode)
        case .closeInsideTheBody where isFirst:
            return await stream.connection.close()
        default: break
        }
        if plan.point == .whileReceiving {
            while await stream.send(Self.chunk) { await Task.yield() }
        } else if plan.event == .trailers {
            await stream.send(Array(content[middle...]))
            stream.trailers([("x-number", String(plan.number))])
        } else {
            await stream.send(Array(content[middle...]), ends: true)
        }
    }
}
