import Apus
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// The Content-Length of a coded response counts coded bytes. So does its progress, but not the length of the decoded
/// body.
@Suite(.timeLimit(.minutes(5))) struct CodedProgressTests {
    /// Parity: AF-fault-coded-progress
    @Test(arguments: Wire.allCases, ["/gzip", "/deflate"])
    func hasNoExpectedLengthForACodedBody(wire: Wire, path: String) async throws {
        try await wire.with { server, session in
            let response = try await session.stream(server.url(path))
            #expect(response.expectedLength == nil)
            let decoded = try await response.body.reduce(0) { $0 + $1.count }
            let raw = try await session.stream(server.url(path), options: [ContentDecoding.off])
            let declared = try #require(raw.expectedLength)
            let coded = try await raw.body.reduce(0) { $0 + $1.count }
            #expect(declared == Int64(coded) && coded != decoded)
        }
    }

    /// Parity: AF-fault-coded-progress, AF-progress-download
    @Test(arguments: Wire.allCases, ["/gzip/1000", "/deflate/1000"])
    func progressCountsReceivedBytes(wire: Wire, path: String) async throws {
        try await wire.with { server, session in
            let raw = try await session.get(server.url(path), options: [ContentDecoding.off])
            let length = Int64(raw.data.count)
            let queue = DispatchQueue(label: "apus.tests.progress")
            let reports = Lock<[TransferProgress]>([])
            let request = session.request(server.url(path)).downloadProgress(queue: queue) { progress in
                reports.withLock { $0.append(progress) }
            }
            let data = try await request.serializingData().value
            queue.sync {}
            #expect(data == Data(TestServer.pattern(count: 1000)) && length < 1000)
            let last = try #require(reports.withLock { $0.last })
            #expect(last.completed == length && last.isFinished)
            #expect(reports.withLock { $0.allSatisfy { $0.total == length } })
            #expect(request.downloadProgress.completed == length)
        }
    }

    /// Parity: AF-fault-coded-progress
    @Test(arguments: Wire.allCases, [0, 5])
    func countsTheOutermostCoding(wire: Wire, size: Int) async throws {
        let content = TestServer.pattern(count: size)
        let coded = StoredGzip.coded(content, times: 2)
        let length = Int64(coded.count)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: \(length)\r\n\r\n"
        let script: Script = [.expectHead, .sendBytes(Array(head.utf8) + coded), .silence]
        let monitor = RecordingEventMonitor(receivesProgress: true)
        try await wire.with(.script(script), configure: { $0.eventMonitors = [monitor] }) { server, session in
            let request = session.request(server.url("/"))
            let data = try await request.serializingResponse(using: AnyBody()).value
            #expect(data == Data(content))
            #expect(request.downloadProgress.completed == length && request.downloadProgress.total == length)
            #expect(reports(of: monitor).last.map { $0.count == length && $0.total == length } == true)
        }
    }

    // MARK: Parts

    /// The API that reads the body.
    enum Reader: String, CaseIterable, Sendable {
        case call
        case handle
        case download
        case directDownload
        case stream
        case streamHandle

        var hasProgress: Bool { [.handle, .download, .directDownload].contains(self) }

        /// Reads the body. Returns it with the reports of its progress.
        func read(_ url: String, in session: Session) async throws -> (content: Data, reports: [TransferProgress]) {
            switch self {
            case .call:
                return (try await session.get(url).data, [])
            case .handle:
                let request = session.request(url)
                let updates = request.downloadProgress(bufferingPolicy: .unbounded)
                let data = try await request.serializingData().value
                return (data, await Self.all(updates, of: request))
            case .download:
                let request = session.download(url, to: .temporary)
                let updates = request.downloadProgress(bufferingPolicy: .unbounded)
                let file = try await request.serializingURL().value
                defer { try? FileManager.default.removeItem(at: file) }
                return (try Data(contentsOf: file), await Self.all(updates, of: request))
            case .directDownload:
                let folder = try TemporaryFolder()
                let reports = Lock<[TransferProgress]>([])
                let file = try await session.download(url, to: folder.url("file")) { progress in
                    reports.withLock { $0.append(progress) }
                }
                return (try Data(contentsOf: file.fileURL), reports.withLock { $0 })
            case .stream:
                var data = Data()
                for try await chunk in try await session.stream(url).body { data.append(chunk) }
                return (data, [])
            case .streamHandle:
                var data = Data()
                for await event in session.streamRequest(url).streamTask().streamingData() {
                    if let bytes = event.value { data.append(bytes) }
                    if let error = event.completion?.error { throw error }
                }
                return (data, [])
            }
        }

        /// Returns the reports, and the last progress of the request.
        private static func all(
            _ updates: AsyncStream<TransferProgress>,
            of request: some Request
        ) async -> [TransferProgress] {
            var reports: [TransferProgress] = []
            for await progress in updates { reports.append(progress) }
            let last: TransferProgress = request.downloadProgress
            return reports + [last]
        }
    }

    private static let content = TestServer.pattern(count: 60_000)
    private static let coded = StoredGzip.coded(content)
    /// The ends of the parts. The last part is the end of the coding, which no decoded byte comes from.
    private static let ends = [20_000, 40_000, coded.count - 8, coded.count]

    private static func part(_ index: Int) -> [UInt8] {
        Array(coded[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
    }

    /// Returns a gate for each part. The server sends the part when its gate is open.
    private static func makeGates() -> [Gate] { ends.map { _ in Gate() } }

    private static func script(_ gates: [Gate], declaresLength: Bool) -> Script {
        let framing = declaresLength ? "Content-Length: \(coded.count)" : "Transfer-Encoding: chunked"
        var steps: [Step] = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\(framing)\r\n\r\n"),
        ]
        for (index, gate) in gates.enumerated() {
            let bytes = part(index)
            let size = String(bytes.count, radix: 16)
            let chunk = Array("\(size)\r\n".utf8) + bytes + Array("\r\n".utf8)
            steps.append(.wait(gate))
            steps.append(.sendBytes(declaresLength ? bytes : chunk))
        }
        if !declaresLength { steps.append(.send("0\r\n\r\n")) }
        steps.append(.silence)
        return Script(steps: steps)
    }

    private static func responder(_ gates: [Gate], declaresLength: Bool) -> HTTP2Server.Responder {
        { stream in
            let length: [(String, String)] = declaresLength ? [("content-length", "\(coded.count)")] : []
            stream.head(200, [("content-encoding", "gzip")] + length)
            for (index, gate) in gates.enumerated() {
                await gate.wait()
                await stream.send(part(index), ends: index == gates.count - 1)
            }
        }
    }

    private func reports(of monitor: RecordingEventMonitor) -> [(count: Int64, total: Int64?)] {
        monitor.events.compactMap { record -> (count: Int64, total: Int64?)? in
            guard case .contentReceived(let count, let total) = record.event else { return nil }
            return (count, total)
        }
    }

    /// Reads the body. Each part is sent when the one before it was reported.
    private func check(
        _ reader: Reader,
        _ url: String,
        in session: Session,
        _ gates: [Gate],
        _ monitor: RecordingEventMonitor,
        declaresLength: Bool
    ) async throws {
        async let reading = reader.read(url, in: session)
        for (index, gate) in gates.enumerated() {
            let earlier = index == 0 ? nil : Int64(Self.ends[index - 1])
            #expect(await eventually { reports(of: monitor).last?.count == earlier })
            gate.open()
        }
        let (content, progress) = try await reading
        #expect(content == Data(Self.content))

        let length = Int64(Self.coded.count)
        let total = declaresLength ? length : nil
        let events = reports(of: monitor)
        #expect(events.allSatisfy { $0.total == total })
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.count < $1.count })
        #expect(events.last?.count == length)

        #expect(progress.isEmpty == !reader.hasProgress)
        guard let last = progress.last else { return }
        #expect(last.completed == length && last.total == length)
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.completed <= $1.completed })
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.fractionCompleted <= $1.fractionCompleted })
        let isConsistent = progress.allSatisfy { $0.total == total || $0.completed == length && $0.isFinished }
        #expect(isConsistent)
        if reader == .directDownload {
            // It gets every report.
            for end in Self.ends { #expect(progress.contains { $0.completed == Int64(end) }) }
        }
    }

    /// Parity: AF-fault-coded-progress, AF-progress-download
    @Test(arguments: Wire.allCases, Reader.allCases)
    func growsWithTheReceivedBytes(wire: Wire, reader: Reader) async throws {
        for declaresLength in [true, false] {
            let (gates, monitor) = (Self.makeGates(), RecordingEventMonitor(receivesProgress: true))
            let script = Self.script(gates, declaresLength: declaresLength)
            try await wire.with(.script(script), configure: { $0.eventMonitors = [monitor] }) { server, session in
                try await check(reader, server.url("/"), in: session, gates, monitor, declaresLength: declaresLength)
            }
        }
    }

    /// Parity: AF-fault-coded-progress, AF-progress-download
    @Test(arguments: Wire.allCases, Reader.allCases)
    func growsWithTheReceivedBytesOverHTTP2(wire: Wire, reader: Reader) async throws {
        for declaresLength in [true, false] {
            let (gates, monitor) = (Self.makeGates(), RecordingEventMonitor(receivesProgress: true))
            try await wire.withHTTP2(
                configure: { $0.eventMonitors = [monitor] },
                responder: Self.responder(gates, declaresLength: declaresLength)
            ) { server, session in
                try await check(reader, server.url("/"), in: session, gates, monitor, declaresLength: declaresLength)
            }
        }
    }
}
