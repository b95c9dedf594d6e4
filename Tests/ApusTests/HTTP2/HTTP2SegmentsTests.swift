import Apus
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import Testing

/// Segments of a file that arrive as streams of one connection.
@Suite(.timeLimit(.minutes(5))) struct HTTP2SegmentsTests {
    private static let content = TestServer.pattern(count: 2_000_000)
    private static let option = DownloadSegments(4, minimumBytes: 64 << 10)

    /// Responds with the range that a request asks for, in two parts if a gate is to be opened in between.
    private static func respond(to stream: HTTP2ServerStream, haltingAt gate: Gate? = nil) async {
        let range = stream.request["range"]?.dropFirst("bytes=".count)
        let bounds = (range ?? "").split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard bounds.count == 2, let first = bounds[0], first < content.count else {
            return await stream.respond("no range", status: 400)
        }
        let last = bounds[1] ?? content.count - 1
        let bytes = content[first...last]
        let fields = [
            ("etag", "\"1\""), ("content-range", "bytes \(first)-\(last)/\(content.count)"),
            ("content-length", "\(bytes.count)"),
        ]
        stream.head(206, fields)
        if let gate {
            await stream.send(Array(bytes.prefix(1000)))
            await gate.wait()
            await stream.send(Array(bytes.dropFirst(1000)), ends: true)
        } else {
            await stream.send(Array(bytes), ends: true)
        }
    }

    private func expectContent(in file: URL) throws {
        let isRight = try Data(contentsOf: file) == Data(Self.content)
        #expect(isRight)
    }

    @Test(arguments: Wire.allCases) func areStreamsOfOneConnection(wire: Wire) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.withHTTP2(responder: { await Self.respond(to: $0) }) { server, session in
                _ = try await session.download(server.url("/"), to: file, options: [Self.option])
                try expectContent(in: file)
                let ranges = server.requests.compactMap { $0["range"] }.sorted()
                #expect(
                    ranges == ["bytes=0-", "bytes=1000000-1499999", "bytes=1500000-1999999", "bytes=500000-999999"]
                )
                #expect(server.acceptedConnections == 1)
                #expect(try names(in: folder) == ["file"])
            }
        }
    }

    /// A suspended download reads none of its streams. Other requests on the connection go on.
    @Test(arguments: Wire.allCases) func areSuspendedTogether(wire: Wire) async throws {
        let gate = Gate()
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await wire.withHTTP2(
                responder: { stream in
                    guard stream.request.path == "/file" else { return await stream.respond() }
                    await Self.respond(to: stream, haltingAt: gate)
                }
            ) { server, session in
                let request = session.download(server.url("/file"), to: .file(file), options: [Self.option])
                let task = request.serializingURL()
                #expect(await eventually { request.downloadProgress.completed == 4000 })
                request.suspend()
                gate.open()
                for _ in 0..<20 { try await session.get(server.url("/")).validate() }
                // Each segment may have read one more chunk.
                #expect(request.downloadProgress.completed <= 4000 + 4 * (64 << 10))
                #expect(request.state == .suspended)
                request.resume()
                _ = try await task.value
                try expectContent(in: file)
                #expect(request.downloadProgress.completed == 2_000_000)
                #expect(server.acceptedConnections == 1)
                #expect(try names(in: folder) == ["file"])
            }
        }
    }
}
