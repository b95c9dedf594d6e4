internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation
internal import Testing

/// Resumable uploads to the server of swift-nio-extras, over connections that a relay cuts.
@Suite(
    .serialized,
    .enabled(if: !Servers.uploads.isEmpty, "Scripts/interop starts the servers"),
    .timeLimit(.minutes(10))
)
struct ResumableUploadInteropTests {
    private static let policy = ResumableUpload.Policy(
        retryLimit: 20,
        scale: .milliseconds(1),
        maximumDelay: .milliseconds(20),
        // A cut may destroy the announcement of the server. No upload is complete then.
        beginsAnew: .always
    )

    private var port: Int { Servers.uploads.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Returns the names of the files that the server has written for an upload, each of which arrived completely.
    private func arrivals(of name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Servers.uploadFolder)
            .filter { $0.hasPrefix("\(name).") }
    }

    /// Checks that an upload has arrived once, with all of its bytes.
    private func expectOneArrival(of name: String, _ content: Data) throws {
        #expect(try arrivals(of: name) == ["\(name).1"])
        let arrived = try Data(contentsOf: URL(filePath: Servers.uploadFolder).appending(path: "\(name).1"))
        // Without `==` in the expectation, which would print both.
        let isWhole = arrived == content
        #expect(isWhole, "\(arrived.count) bytes of \(content.count), seed \(CutPlan.seed)")
    }

    private func content(_ byteCount: Int) -> Data {
        Data(TestServer.pattern(offset: byteCount % 251, count: byteCount))
    }

    @Test(arguments: [1, 1_000, 10_000_000]) func arrivesWithoutInterruption(byteCount: Int) async throws {
        let session = Session()
        let name = "plain-\(byteCount)"
        let content = content(byteCount)
        let upload = session.uploadResumably(.bytes(content), to: "\(Servers.uploads)/\(name)", policy: Self.policy)
        let response = try await upload.response()
        #expect(response.status == .created)
        #expect(upload.uploadProgress.completed == Int64(byteCount))
        try expectOneArrival(of: name, content)
        try await assertNothingLeft(session)
    }

    /// A connection is cut after at most a fifth of the upload. The shortest one has room for the head of a request.
    @Test(arguments: [40_000, 1_000_000, 5_000_000, 40_000_000], 0..<3)
    func arrivesOnceThroughCuts(byteCount: Int, salt: Int) async throws {
        let plan = CutPlan(in: 3_000...byteCount / 5, resets: salt == 1, salt: byteCount + salt)
        let relay = try await CuttingRelay.start(to: port, counting: .toServer) { number in
            // The server announces itself, or its offset, before an upload is cut.
            plan.cut(number, waitsForAnswer: true)
        }
        let session = Session()
        let name = "cut-\(byteCount)-\(salt)"
        let content = content(byteCount)
        try await CaseFolder.withTemporary { folder in
            let file = folder.appending(path: "file")
            try content.write(to: file)
            let url = "http://127.0.0.1:\(relay.port)/\(name)"
            let upload = session.uploadResumably(file, to: url, policy: Self.policy)
            let response = try await upload.response()
            #expect(response.status == .created)
            #expect(upload.uploadProgress.completed == Int64(byteCount))
        }
        try expectOneArrival(of: name, content)
        #expect(relay.cutCount > 1, "seed \(CutPlan.seed)")
        // Less than two beginnings, with a head for each connection.
        #expect(relay.byteCount < 2 * byteCount + 2_000 * relay.acceptedConnections, "seed \(CutPlan.seed)")
        try await assertNothingLeft(session)
        await relay.stop()
    }

    /// Another session continues the upload, with nothing but its state as JSON.
    @Test(arguments: [1_000_000, 20_000_000]) func arrivesOnceFromTwoSessions(byteCount: Int) async throws {
        let relay = try await CuttingRelay.start(to: port, counting: .toServer) { number in
            number == 1 ? CuttingRelay.Cut(after: byteCount / 2, waitsForAnswer: true) : nil
        }
        let name = "sessions-\(byteCount)"
        let content = content(byteCount)
        try await CaseFolder.withTemporary { folder in
            let file = folder.appending(path: "file")
            try content.write(to: file)
            let first = Session()
            let url = "http://127.0.0.1:\(relay.port)/\(name)"
            let upload = first.uploadResumably(file, to: url, policy: ResumableUpload.Policy(retryLimit: 0))
            let error = try await #require(throws: ApusError.self) { try await upload.response() }
            #expect(RetryPolicy.transientCodes.contains(error.code))
            let state = try #require(upload.state)
            try await assertNothingLeft(first)
            let data = try JSONEncoder().encode(state)
            let stored = try JSONDecoder().decode(ResumableUpload.State.self, from: data)
            #expect(try arrivals(of: name) == [])
            let second = Session()
            let response = try await second.uploadResumably(resumingWith: stored, policy: Self.policy).response()
            #expect(response.status.kind == .successful)
            try await assertNothingLeft(second)
        }
        try expectOneArrival(of: name, content)
        #expect(relay.byteCount < byteCount + byteCount / 2)
        await relay.stop()
    }
}
