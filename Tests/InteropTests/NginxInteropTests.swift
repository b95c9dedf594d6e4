internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite(.enabled(if: Servers.areRunning, "Scripts/interop starts the servers"), .timeLimit(.minutes(2)))
struct NginxInteropTests {
    private let nginx = Servers.nginx

    /// The size of the file that `Scripts/interop` creates: 64 pieces of 4 bytes and a mebibyte.
    private let largeCount: Int64 = 64 * (4 + 1 << 20)

    @Test func servesManyRequestsOverAFewConnections() async throws {
        let session = Session()
        let url = "\(nginx)/small.txt"
        let connections = try await withThrowingTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    let response = try await session.get(url).validate()
                    #expect(response.data.count == 35)
                    return response.metrics.exchanges.compactMap(\.connectionNumber)
                }
            }
            var numbers: Set<Int> = []
            for try await used in group { numbers.formUnion(used) }
            return numbers
        }
        #expect((1...session.configuration.pool.connectionsPerOrigin).contains(connections.count))
        try await assertNothingLeft(session)
    }

    @Test func survivesAServerThatClosesAfterEachResponse() async throws {
        let session = Session()
        for _ in 0..<20 {
            try await session.get("\(nginx)/once/small.txt").validate()
        }
        try await assertNothingLeft(session)
    }

    @Test func downloadsIntoAFile() async throws {
        let session = Session()
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-interop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let downloaded = try await session.download("\(nginx)/large.bin", to: file)
        #expect(downloaded.byteCount == largeCount)
        let size = try FileManager.default.attributesOfItem(atPath: file.path())[.size] as? Int64
        #expect(size == largeCount)
        try await assertNothingLeft(session)
    }

    @Test func decodesADynamicallyCodedResponse() async throws {
        let session = Session()
        let coded = try await session.get("\(nginx)/coded/text.txt").validate()
        let plain = try await session.get("\(nginx)/text.txt", options: [ContentDecoding.off]).validate()
        #expect(coded.data == plain.data)
        #expect(coded.data.count > 100_000)
        try await assertNothingLeft(session)
    }

    @Test func sendsAFileThroughAProxyServer() async throws {
        let session = Session()
        let file = FileManager.default.temporaryDirectory.appending(path: "apus-interop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(repeating: UInt8(ascii: "s"), count: 1 << 20).write(to: file)
        let echo = try await session.post(
            "\(nginx)/unbuffered/post",
            fields: [.contentType: "text/plain"],
            body: .file(file)
        ).validate().decode(Echo.self)
        #expect(echo.data?.count == 1 << 20)
        try await assertNothingLeft(session)
    }

    @Test func waitsFor100Continue() async throws {
        let session = Session()
        let response = try await session.post(
            "\(nginx)/unbuffered/post",
            fields: [.contentType: "application/json", .expect: "100-continue"],
            body: .string(#"{"count": 3}"#)
        ).validate()
        #expect(try response.decode(Echo.self).json == ["count": 3])
        #expect(response.metrics.exchanges.last?.informational.map(\.status.code) == [100])
        try await assertNothingLeft(session)
    }

    @Test func usesTLS() async throws {
        let session = Servers.trustingSession()
        for _ in 0..<3 {
            try await session.get("\(Servers.nginxOverTLS)/small.txt").validate()
        }
        let response = try await session.get("\(Servers.nginxOverTLS)/large.bin").validate()
        #expect(Int64(response.data.count) == largeCount)
        #expect(response.metrics.exchanges.first?.tlsVersion == "TLSv1.3")
        #expect(response.metrics.exchanges.first?.isReused == true)
        try await assertNothingLeft(session)
    }

    @Test func rejectsAnUnknownAuthority() async throws {
        let session = Session()
        let error = try await #require(throws: ApusError.self) {
            try await session.get("\(Servers.nginxOverTLS)/small.txt")
        }
        #expect(error.code == .certificateRejected)
        #expect(error.isConnect)
        try await assertNothingLeft(session)
    }
}
