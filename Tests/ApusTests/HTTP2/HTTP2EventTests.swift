import Apus
import ApusEngine
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// Event monitors receive every step of an exchange over HTTP/2 once and in order, as over HTTP/1.1.
@Suite(.timeLimit(.minutes(5))) struct HTTP2EventTests {
    /// Returns the names of the last request's events except `excluded`. Successive progress events count once.
    private func names(_ monitor: RecordingEventMonitor, without excluded: String...) -> [String] {
        guard let last = monitor.events.last?.request else { return [] }
        var names: [String] = []
        for name in monitor.names(of: last) where !excluded.contains(name) {
            if name.hasPrefix("content"), names.last == name { continue }
            names.append(name)
        }
        return names
    }

    private func counts(_ monitor: RecordingEventMonitor, isUpload: Bool) -> [(count: Int64, total: Int64?)] {
        monitor.events.compactMap { record in
            switch record.event {
            case .contentSent(let count, let total): isUpload ? (count, total) : nil
            case .contentReceived(let count, let total): isUpload ? nil : (count, total)
            default: nil
            }
        }
    }

    @Test(arguments: Wire.allCases, [3, 300_000])
    func reportsAnUpload(wire: Wire, size: Int) async throws {
        let monitor = RecordingEventMonitor(receivesProgress: true)
        try await wire.withHTTP2(configure: { $0.eventMonitors = [monitor] }) { server, session in
            let body = RequestBody.bytes(Data(TestServer.pattern(count: size)))
            try await session.post(server.url("/"), body: body).validate()
            let steps = ["created", "exchangeBegan", "contentSent", "responded", "validated", "completed", "finished"]
            #expect(names(monitor, without: "contentReceived", "exchangeEnded") == steps)
            let course = names(monitor)
            let end = try #require(course.firstIndex(of: "exchangeEnded"))
            #expect(!course[end...].contains("contentSent"))
            let sent = counts(monitor, isUpload: true)
            #expect(sent.last?.count == Int64(size))
            #expect(sent.allSatisfy { $0.total == Int64(size) })
            #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.count < $1.count })
        }
        #expect(monitor.sessionEnds.count == 1)
    }

    @Test(arguments: Wire.allCases)
    func reportsADownload(wire: Wire) async throws {
        let monitor = RecordingEventMonitor(receivesProgress: true)
        try await wire.withHTTP2(
            configure: { $0.eventMonitors = [monitor] },
            responder: { stream in await stream.respond(bytes: TestServer.pattern(count: 1_000_000)) }
        ) { server, session in
            let request = session.download(server.url("/"), to: .temporary)
            let file = try await request.serializingURL().value
            defer { try? FileManager.default.removeItem(at: file) }
            let expected = [
                "resumed", "created", "exchangeBegan", "responded", "validated", "destinationChosen", "contentReceived",
                "downloaded", "completed", "serialized", "finished",
            ]
            #expect(names(monitor, without: "exchangeEnded") == expected)
            let received = counts(monitor, isUpload: false)
            #expect(received.last?.count == 1_000_000 && received.last?.total == 1_000_000)
            #expect(zip(received, received.dropFirst()).allSatisfy { $0.count < $1.count })
        }
    }

    @Test(arguments: Wire.allCases)
    func reportsInformationalResponsesAndRedirects(wire: Wire) async throws {
        let monitor = RecordingEventMonitor()
        try await wire.withHTTP2(
            configure: { $0.eventMonitors = [monitor] },
            responder: { stream in
                guard stream.request.path == "/" else {
                    return await stream.respond(status: 302, [("location", "/")])
                }
                stream.head(103)
                await stream.respond()
            }
        ) { server, session in
            try await session.get(server.url("/redirect")).validate()
            let steps = [
                "created", "exchangeBegan", "redirected", "exchangeBegan", "informational", "responded", "validated",
                "completed", "finished",
            ]
            #expect(names(monitor, without: "exchangeEnded") == steps, "\(monitor.events)")
        }
    }

    /// A safe resend belongs to its exchange and is no event.
    @Test(arguments: Wire.allCases)
    func reportsAResentRequestOnce(wire: Wire) async throws {
        let monitor = RecordingEventMonitor()
        let arrived = Tally()
        try await wire.withHTTP2(
            configure: { $0.eventMonitors = [monitor] },
            responder: { stream in
                if arrived.countUp() == 1 { return stream.reset(.refusedStream) }
                await stream.respond()
            }
        ) { server, session in
            try await session.get(server.url("/")).validate()
            let steps = [
                "created", "exchangeBegan", "responded", "exchangeEnded", "validated", "completed", "finished",
            ]
            #expect(names(monitor).sorted() == steps.sorted(), "\(monitor.events)")
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: Wire.allCases)
    func reportsAFailure(wire: Wire) async throws {
        let monitor = RecordingEventMonitor()
        try await wire.withHTTP2(
            configure: { $0.eventMonitors = [monitor] },
            responder: { stream in stream.reset(.internalError) }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            #expect(error?.code == .streamReset)
            let course = names(monitor)
            #expect(course.prefix(3) == ["created", "exchangeBegan", "exchangeEnded"], "\(monitor.events)")
            #expect(course.last == "finished")
        }
    }
}
