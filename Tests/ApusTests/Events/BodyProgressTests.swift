import Apus
import ApusTestServer
import ApusTestSupport
import Foundation
import HTTPTypes
import Testing

/// The progress of bodies on a connection.
@Suite struct BodyProgressTests {
    /// Parity: AF-progress-upload, AF-progress-stream
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func knowsTheTotalOfAStreamedUploadAtItsEnd(wire: Wire) async throws {
        try await wire.with { server, session in
            let chunks = AsyncStream<BodyChunk> { continuation in
                continuation.yield(BodyChunk(Data(count: 100_000)))
                continuation.yield(BodyChunk(Data(count: 23)))
                continuation.finish()
            }
            let request = session.request(server.url("/upload"), method: .post, body: .once(chunks))
            let updates = request.uploadProgress(bufferingPolicy: .unbounded)
            _ = try await request.serializingData().value
            var seen: [TransferProgress] = []
            for await progress in updates { seen.append(progress) }
            #expect(seen.last.map { $0.completed == 100_023 && $0.isFinished } == true)
            #expect(seen.dropLast().allSatisfy { $0.isIndeterminate && $0.completed > 0 })
            #expect(request.uploadProgress.isFinished)
        }
    }

    /// The record counts the sent bytes, even if no code asks for them in time.
    /// Parity: AF-progress-properties
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func countsABodyWhoseProgressWasNotRead(wire: Wire) async throws {
        try await wire.with { server, session in
            let body = RequestBody.bytes(Data(count: 300_000))
            let request = session.request(server.url("/upload"), method: .post, body: body)
            let data = try await request.serializingData().value
            #expect(request.uploadProgress.completed == 300_000 && request.uploadProgress.isFinished)
            #expect(request.downloadProgress.completed == Int64(data.count) && request.downloadProgress.isFinished)
        }
    }

    // MARK: Sequences of reports

    private static func chunks(of data: Data) -> AsyncStream<BodyChunk> {
        AsyncStream { stream in
            for start in stride(from: 0, to: data.count, by: 100_000) {
                stream.yield(BodyChunk(data[start..<min(start + 100_000, data.count)]))
            }
            stream.finish()
        }
    }

    /// Uploads each kind of body, and checks that its reports grow to the total.
    private func expectGrowth(_ session: Session, _ url: String) async throws {
        let data = Data(count: 2_950_000)
        let length = Int64(data.count)
        try await inFolder { folder in
            let file = folder.appending(path: "body")
            try data.write(to: file)
            let bodies: [RequestBody] = [
                .bytes(data), try .file(file), .replayable(length: length) { Self.chunks(of: data) },
                .once(length: length, Self.chunks(of: data)), .inputStream(length: length, InputStream(data: data)),
            ]
            for body in bodies {
                let request = session.request(url, method: .post, body: body)
                let updates = request.uploadProgress(bufferingPolicy: .unbounded)
                _ = try await request.validate().serializingData().value
                var seen: [TransferProgress] = []
                for await progress in updates { seen.append(progress) }
                #expect(seen.count > 1)
                #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.completed < $1.completed })
                #expect(seen.allSatisfy { $0.total == length })
                #expect(seen.last?.completed == length)
            }
        }
    }

    /// Parity: AF-progress-upload, AF-progress-stream
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func growsToTheTotal(wire: Wire) async throws {
        try await wire.with { server, session in try await expectGrowth(session, server.url("/upload")) }
    }

    /// Parity: AF-progress-upload, AF-progress-stream
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func growsToTheTotalOverHTTP2(wire: Wire) async throws {
        try await wire.withHTTP2 { server, session in try await expectGrowth(session, server.url("/upload")) }
    }

    /// The progress counts the bytes that the connection has taken, although the whole body is in memory.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func waitsForAServerThatDoesNotRead(wire: Wire) async throws {
        let size = 32 << 20
        let (isStuck, mayRead) = (Gate(), Gate())
        let script: Script = [
            .expectHead, .expectBytes(1), .signal(isStuck), .wait(mayRead), .expectBytes(size - 1),
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .silence,
        ]
        try await wire.with(.script(script)) { server, session in
            let request = session.request(server.url("/"), method: .post, body: .bytes(Data(count: size)))
            let task = request.serializingData()
            await isStuck.wait()
            var last: Int64 = -1
            while request.uploadProgress.completed != last {
                last = request.uploadProgress.completed
                await Wire.yieldToOthers()
            }
            #expect((1..<Int64(size)).contains(last))
            mayRead.open()
            _ = try await task.value
            #expect(request.uploadProgress.completed == Int64(size))
        }
    }

    /// Over HTTP/2, the window of the server limits the progress.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func waitsForTheWindow(wire: Wire) async throws {
        let options = HTTP2Server.Options(holdsWindow: { $0.path == "/held" })
        try await wire.withHTTP2(options) { server, session in
            let request = session.request(server.url("/held"), method: .post, body: .bytes(Data(count: 200_000)))
            let task = request.serializingData()
            let stream = try await server.stream(for: "/held")
            await stream.waitForBytes(65_535)
            await Wire.yieldToOthers()
            #expect(request.uploadProgress.completed == 65_535)
            stream.openWindow(by: 200_000)
            _ = try await task.value
            #expect(request.uploadProgress.completed == 200_000 && request.uploadProgress.isFinished)
        }
    }
}
