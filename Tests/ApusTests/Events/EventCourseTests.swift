import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// Event monitors receive every step of an exchange on a real connection once and in order.
@Suite struct EventCourseTests {
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

    /// Parity: AF-monitor-session-events
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [3, 300_000])
    func reportsAnUpload(wire: Wire, size: Int) async throws {
        let monitor = RecordingEventMonitor(receivesProgress: true)
        try await wire.with(configure: { $0.eventMonitors = [monitor] }) { server, session in
            let body = RequestBody.bytes(Data(TestServer.pattern(count: size)))
            try await session.post(server.url("/upload"), body: body).validate()
            let course = names(monitor)
            let steps = ["created", "exchangeBegan", "contentSent", "responded", "validated", "completed", "finished"]
            #expect(names(monitor, without: "contentReceived", "exchangeEnded") == steps)
            let end = try #require(course.firstIndex(of: "exchangeEnded"))
            #expect(!course[end...].contains("contentSent"))
            let sent = counts(monitor, isUpload: true)
            #expect(sent.last?.count == Int64(size))
            #expect(sent.allSatisfy { $0.total == Int64(size) })
            #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.count < $1.count })
        }
        #expect(monitor.sessionEnds.count == 1)
    }

    /// Parity: AF-monitor-session-events
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func reportsADownload(wire: Wire) async throws {
        let monitor = RecordingEventMonitor(receivesProgress: true)
        try await wire.with(configure: { $0.eventMonitors = [monitor] }) { server, session in
            let request = session.download(server.url("/bytes/1000000"), to: .temporary)
            let file = try await request.serializingURL().value
            defer { try? FileManager.default.removeItem(at: file) }
            let course = names(monitor, without: "exchangeEnded")
            let expected = [
                "resumed", "created", "exchangeBegan", "responded", "validated", "destinationChosen", "contentReceived",
                "downloaded", "completed", "serialized", "finished",
            ]
            #expect(course == expected)
            let received = counts(monitor, isUpload: false)
            #expect(received.last?.count == 1_000_000 && received.last?.total == 1_000_000)
            #expect(zip(received, received.dropFirst()).allSatisfy { $0.count < $1.count })
        }
    }

    /// Parity: AF-monitor-session-events
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func reportsAChallengeAndRedirects(wire: Wire) async throws {
        let monitor = RecordingEventMonitor()
        try await wire.with(configure: { $0.eventMonitors = [monitor] }) { server, session in
            let ada = RequestCredential(.user("ada", password: "secret"))
            try await session.get(server.url("/basic-auth/ada/secret"), options: [ada]).validate()
            let end = ["exchangeBegan", "responded", "validated", "completed", "finished"]
            let challenged = ["created", "exchangeBegan", "challenged"] + end
            #expect(names(monitor, without: "exchangeEnded") == challenged, "\(monitor.events)")
            try await session.get(server.url("/redirect/2")).validate()
            let redirected = ["created", "exchangeBegan", "redirected", "exchangeBegan", "redirected"] + end
            #expect(names(monitor, without: "exchangeEnded") == redirected, "\(monitor.events)")
        }
    }
}
