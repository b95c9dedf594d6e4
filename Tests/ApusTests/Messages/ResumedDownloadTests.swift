import Apus
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// Downloads that are cut off, cancelled or killed, and continued.
@Suite(.timeLimit(.minutes(5))) struct ResumedDownloadTests {
    private static let served = ServedDownload()
    private static let content = Data(served.content)
    private static let partNames = ["file.part", "file.part.json"]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var file: URL { folder.url("file") }

    private var resuming: DownloadDestination { .file(file, options: .resumePartialFile) }

    private static func retrying(_ configuration: inout Session.Configuration) {
        configuration.interceptor = RetryPolicy(retryLimit: 2, scale: .zero)
        configuration.retryBudget = nil
    }

    /// Downloads in a session of its own, as another process would, and checks that nothing is left of it.
    private func inAnotherSession<Value>(
        _ wire: Wire,
        _ work: (Session) async throws -> Value
    ) async throws -> Value {
        let session = Session(configuration: wire.configuration)
        let value = try await work(session)
        try await assertNothingLeft(session)
        return value
    }

    private func size(of url: URL) -> Int? { (try? Data(contentsOf: url))?.count }

    // MARK: Retries

    @Test(arguments: Wire.allCases) func continuesAfterACutAtAnyByte(wire: Wire) async throws {
        let cut = LockedValue<Int?>(nil)
        let behavior = TestServer.Behavior.handler { request in
            Self.served.response(to: request, cutAfter: cut.change { $0.take() })
        }
        try await wire.with(behavior, configure: Self.retrying) { server, session in
            for byte in Self.served.content.indices {
                cut.value = byte
                server.forgetRequests()
                let file = folder.url("file-\(byte)")
                let response = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
                #expect(response.error == nil, "\(byte)")
                #expect(try Data(contentsOf: file) == Self.content)
                let range = byte == 0 ? nil : "bytes=\(byte)-"
                let condition = byte == 0 ? nil : "\"1\""
                #expect(server.requests.map { $0["Range"] } == [nil, range])
                #expect(server.requests.map { $0["If-Range"] } == [nil, condition])
                #expect(response.metrics.exchanges.map(\.cause) == [.first, .retry])
                try FileManager.default.removeItem(at: file)
            }
            #expect(try folder.names == [])
        }
    }

    /// A file of many chunks, whose parts are verified too.
    @Test(arguments: Wire.allCases) func continuesALongFile(wire: Wire) async throws {
        let served = ServedDownload(content: TestServer.pattern(count: 1_000_000))
        let count = Tally()
        let behavior = TestServer.Behavior.handler { request in
            let isWhole = count.countUp() > 2
            return served.response(to: request, cutAfter: isWhole ? nil : 300_001)
        }
        try await wire.with(behavior, configure: Self.retrying) { server, session in
            let response = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(response.error == nil)
            let isRight = try Data(contentsOf: file) == Data(served.content)
            #expect(isRight)
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=300001-", "bytes=600002-"])
            #expect(response.response?.status == .partialContent)
            #expect(try folder.names == ["file"])
        }
    }

    struct Version: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fields: [(String, String)]
        var condition: String?
    }

    private static let date = "Wed, 01 Jan 2020 00:00:00 GMT"
    private static let later = "Thu, 02 Jan 2020 00:00:00 GMT"

    static let versions: [Version] = [
        Version(testDescription: "no validator", fields: []),
        Version(
            testDescription: "a weak tag",
            fields: [("ETag", "W/\"1\""), ("Last-Modified", date), ("Date", later)]
        ),
        Version(testDescription: "a date", fields: [("Last-Modified", date), ("Date", later)], condition: date),
        Version(testDescription: "a date of now", fields: [("Last-Modified", date), ("Date", date)]),
        Version(
            testDescription: "a tag and a date",
            fields: [("ETag", "\"1\""), ("Last-Modified", date)],
            condition: "\"1\""
        ),
    ]

    @Test(arguments: Wire.allCases, versions)
    func continuesOnlyWithAStrongValidator(wire: Wire, version: Version) async throws {
        let served = ServedDownload(fields: version.fields)
        let count = Tally()
        let behavior = TestServer.Behavior.handler { request in
            served.response(to: request, cutAfter: count.countUp() == 1 ? 20 : nil)
        }
        try await wire.with(behavior, configure: Self.retrying) { server, session throws in
            let response = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(response.error == nil)
            #expect(try Data(contentsOf: file) == Self.content)
            #expect(server.requests.map { $0["If-Range"] } == [nil, version.condition])
            #expect(server.requests.map { $0["Range"] != nil } == [false, version.condition != nil])
        }
    }

    @Test(arguments: Wire.allCases) func beginsAnewIfTheFileHasChanged(wire: Wire) async throws {
        let changed = ServedDownload(content: Array("changed".utf8), fields: [("ETag", "\"2\"")])
        let count = Tally()
        let behavior = TestServer.Behavior.handler { request in
            guard count.countUp() == 1 else { return changed.response(to: request) }
            return Self.served.response(to: request, cutAfter: 20)
        }
        try await wire.with(behavior, configure: Self.retrying) { server, session throws in
            let response = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(response.response?.status == .ok)
            #expect(try text(file) == "changed")
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20-"])
            #expect(try folder.names == ["file"])
        }
    }

    // MARK: Redirects

    /// Redirects each request to another origin, which has the file.
    private func withRedirect(
        _ wire: Wire,
        to target: @escaping @Sendable (TestRequest) -> TestResponse,
        _ body: (TestServer, TestServer, Session) async throws -> Void
    ) async throws {
        let other = try await TestServer.start(tls: wire.tls, behavior: .handler(target))
        let location = other.url("/g")
        let behavior = TestServer.Behavior.handler { _ in
            TestResponse(status: 302, fields: [("Location", location), ("ETag", "\"redirect\"")])
        }
        do {
            try await wire.with(behavior, configure: Self.retrying) { server, session in
                try await body(server, other, session)
            }
            await other.stop()
        } catch {
            await other.stop()
            throw error
        }
    }

    @Test(arguments: Wire.allCases) func continuesAtAnotherOrigin(wire: Wire) async throws {
        let count = Tally()
        try await withRedirect(
            wire,
            to: { request in
                Self.served.response(to: request, cutAfter: count.countUp() == 1 ? 20 : nil)
            }
        ) { server, other, session throws in
            let request = session.download(server.url("/f"), fields: [.authorization: "Bearer x"], to: .file(file))
            let response = await request.serializingURL().response
            #expect(response.error == nil)
            #expect(try Data(contentsOf: file) == Self.content)
            #expect(other.requests.map { $0["Range"] } == [nil, "bytes=20-"])
            #expect(other.requests.map { $0["If-Range"] } == [nil, "\"1\""])
            #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
            #expect(response.metrics.exchanges.map(\.cause) == [.first, .redirect, .retry, .redirect])
        }
    }

    /// The origin has another file under the same name.
    @Test(arguments: Wire.allCases) func beginsAnewAtAnOriginWithAnotherVersion(wire: Wire) async throws {
        let changed = ServedDownload(content: Array("changed".utf8), fields: [("ETag", "\"2\"")])
        let count = Tally()
        try await withRedirect(
            wire,
            to: { request in
                guard count.countUp() == 1 else { return changed.response(to: request) }
                return Self.served.response(to: request, cutAfter: 20)
            }
        ) { server, other, session throws in
            let response = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(response.error == nil)
            #expect(try text(file) == "changed")
            #expect(other.requests.map { $0["Range"] } == [nil, "bytes=20-"])
        }
    }

    // MARK: Another process

    @Test(arguments: Wire.allCases) func continuesInAnotherSession(wire: Wire) async throws {
        try await wire.with { server, session in
            let url = server.url("/download/40?shouldProduceError=true")
            let request = session.download(url, to: resuming)
            let response = await request.serializingURL().response
            #expect(response.error?.code == .connectionClosed)
            #expect(request.resumeData != nil)
            #expect(try folder.names == Self.partNames)
            #expect(size(of: folder.url("file.part")) == 20)
            try await inAnotherSession(wire) { second in
                let file = try await second.download(server.url("/download/40"), to: resuming).serializingURL().value
                #expect(try Data(contentsOf: file) == Self.content)
            }
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20-"])
            #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == "identity" })
            #expect(try folder.names == ["file"])
        }
    }

    /// Sends the first half of the file on the first connection, and the rest on the second.
    private func withHalves(
        _ wire: Wire,
        _ body: (TestServer, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        let scripts: [Script] = [
            [.expectHead, .sendBytes(Self.served.half), .wait(gate), .close],
            [.expectHead, .sendBytes(Self.served.rest), .silence],
        ]
        try await TestServer.with(tls: wire.tls, behavior: .scripts(scripts)) { server in
            try await body(server, gate)
        }
    }

    @Test(arguments: Wire.allCases) func continuesAfterItsSessionIsReleased(wire: Wire) async throws {
        try await withHalves(wire) { server, gate in
            let part = folder.url("file.part")
            var first: Session? = Session(configuration: wire.configuration)
            let task = try #require(first).download(server.url("/f"), to: resuming).serializingURL()
            #expect(await eventually { size(of: part) == 20 })
            first = nil
            #expect(await task.response.error?.code == .sessionGone)
            #expect(try folder.names == Self.partNames)
            try await inAnotherSession(wire) { second in
                let file = try await second.download(server.url("/f"), to: resuming).serializingURL().value
                #expect(try Data(contentsOf: file) == Self.content)
            }
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20-"])
            #expect(try folder.names == ["file"])
            gate.open()
        }
    }

    /// The files on the disk while a download runs are those that its process would leave if it were killed.
    @Test(arguments: Wire.allCases) func continuesFromTheFilesOfAKilledProcess(wire: Wire) async throws {
        let disk = try TemporaryFolder()
        try await withHalves(wire) { server, gate in
            let part = folder.url("file.part")
            let first = Session(configuration: wire.configuration)
            let task = first.download(server.url("/f"), to: resuming).serializingURL()
            #expect(await eventually { size(of: part) == 20 })
            for name in Self.partNames { try FileManager.default.copyItem(at: folder.url(name), to: disk.url(name)) }
            task.cancel()
            #expect(await task.response.error?.code == .cancelled)
            try await assertNothingLeft(first)
            try await inAnotherSession(wire) { second in
                let destination = DownloadDestination.file(disk.url("file"), options: .resumePartialFile)
                let file = try await second.download(server.url("/f"), to: destination).serializingURL().value
                #expect(try Data(contentsOf: file) == Self.content)
            }
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20-"])
            #expect(try disk.names == ["file"])
            gate.open()
        }
    }

    // MARK: Resume data

    @Test(arguments: Wire.allCases, [false, true])
    func continuesFromResumeData(wire: Wire, isMoved: Bool) async throws {
        try await withHalves(wire) { server, gate in
            let first = Session(configuration: wire.configuration)
            let request = first.download(server.url("/f"), to: .file(file))
            let task = request.serializingURL()
            let hasHalf = await eventually {
                let name = (try? folder.names)?.first ?? ""
                return size(of: folder.url(name)) == 20
            }
            #expect(hasHalf)
            let produced = await request.cancelByProducingResumeData()
            let data = try #require(produced)
            #expect(await task.response.error?.code == .cancelled)
            try await assertNothingLeft(first)
            #expect(try folder.names.count == 1)
            try await inAnotherSession(wire) { second in
                let other: DownloadDestination? = isMoved ? DownloadDestination.file(folder.url("other")) : nil
                let file = try await second.download(resumingWith: data, to: other).serializingURL().value
                #expect(try Data(contentsOf: file) == Self.content)
            }
            #expect(server.requests.map(\.path) == ["/f", "/f"])
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20-"])
            #expect(server.requests.map { $0["If-Range"] } == [nil, "\"1\""])
            #expect(try folder.names == [isMoved ? "other" : "file"])
            gate.open()
        }
    }
}
