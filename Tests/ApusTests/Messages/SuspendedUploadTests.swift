import Apus
import ApusCore
import ApusTestServer
import ApusTestSupport
import Foundation
import HTTPTypes
import Testing

/// A suspended upload does not start. A running one sends no further chunk, and does not read the response.
@Suite(.timeLimit(.minutes(5))) struct SuspendedUploadTests {
    /// The kinds of bodies that are sent in several writes.
    enum Kind: CaseIterable, Sendable {
        case data, file, stream, form
    }

    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    /// More bytes than the buffers of both sides can hold.
    private static let size = 32 << 20
    private static let chunkBytes = 64 << 10
    /// A server that reads two chunks of three bytes, and opens a gate after each.
    private static func chunkScript(_ hasFirst: Gate, _ hasAll: Gate) -> Script {
        [
            .expectHead, .expectBytes(3), .signal(hasFirst), .expectBytes(3), .signal(hasAll), .send(okResponse),
            .silence,
        ]
    }

    /// Returns an upload of at least `size` bytes.
    private static func upload(
        _ kind: Kind,
        of file: URL,
        to url: String,
        in session: Session
    ) throws -> DataRequest {
        switch kind {
        case .data:
            return session.upload(Data(count: size), to: url)
        case .file:
            try Data(count: size).write(to: file)
            return session.upload(file, to: url)
        case .stream:
            return session.upload(.replayable(length: Int64(size)) { chunks() }, to: url)
        case .form:
            try Data(count: size).write(to: file)
            var form = MultipartFormData()
            try form.append(file, withName: "file")
            return session.upload(multipartFormData: form, to: url)
        }
    }

    private static func chunks() -> AsyncStream<BodyChunk> {
        let number = LockedValue(0)
        return AsyncStream<BodyChunk>(unfolding: {
            number.increased(by: 1) <= Self.size / Self.chunkBytes ? BodyChunk(Data(count: Self.chunkBytes)) : nil
        })
    }

    /// Returns the number of bytes that were sent, once it does not grow.
    private static func settledCount(of upload: DataRequest) async -> Int64 {
        var last: Int64 = -1
        while upload.uploadProgress.completed != last {
            last = upload.uploadProgress.completed
            await Wire.yieldToOthers()
        }
        return last
    }

    @Test(arguments: Wire.allCases)
    func doesNotStart(wire: Wire) async throws {
        try await wire.with { server, session in
            let upload = session.upload(.once(AsyncStream.texts("one", "two")), to: server.url("/upload")).suspend()
            let task = upload.serializingString()
            await Wire.yieldToOthers()
            #expect(upload.state == .suspended)
            #expect(upload.uploadProgress.completed == 0)
            #expect(server.acceptedConnections == 0)
            upload.resume()
            let text = try await task.value
            #expect(text.contains("\"bytes\":6"))
            #expect(upload.uploadProgress.isFinished)
        }
    }

    // MARK: A running upload

    /// Starts an upload of two chunks, and suspends it when the server has the first. The second one waits at the
    /// connection then. The gate opens when the server has both.
    private static func withHeldChunk(
        _ wire: Wire,
        _ body: (DataRequest, DataTask<String>, AsyncStream<BodyChunk>.Continuation, Gate) async throws -> Void
    ) async throws {
        let (hasFirst, hasAll) = (Gate(), Gate())
        try await wire.with(.script(chunkScript(hasFirst, hasAll))) { server, session in
            let (chunks, source) = AsyncStream.makeStream(of: BodyChunk.self)
            let upload = session.upload(.once(length: 6, chunks), to: server.url("/"))
            let task = upload.serializingString()
            source.yield(BodyChunk("one"))
            await hasFirst.wait()
            upload.suspend()
            source.yield(BodyChunk("two"))
            #expect(await eventually { session.liveCounts["continuations"] == 1 })
            #expect(!hasAll.isOpen)
            try await body(upload, task, source, hasAll)
        }
    }

    /// Parity: AF-life-suspended-transfer
    @Test(arguments: Wire.allCases)
    func holdsTheNextChunkBack(wire: Wire) async throws {
        try await Self.withHeldChunk(wire) { upload, task, source, hasAll in
            source.finish()
            #expect(upload.uploadProgress.completed == 3)
            upload.resume()
            let text = try await task.value
            #expect(text == "hi")
            #expect(hasAll.isOpen)
            #expect(upload.uploadProgress.completed == 6)
        }
    }

    /// The server reads all that it gets, and does not get the whole body before it is resumed.
    ///
    /// Parity: AF-life-suspended-transfer
    @Test(arguments: Wire.allCases, Kind.allCases)
    func holdsTheRestOfItsBodyBack(wire: Wire, kind: Kind) async throws {
        let (hasBegun, mayRead, hasAll) = (Gate(), Gate(), Gate())
        let script: Script = [
            .expectHead, .signal(hasBegun), .wait(mayRead), .expectBody, .signal(hasAll), .send(Self.okResponse),
            .silence,
        ]
        try await inFolder { folder in
            try await wire.with(.script(script)) { server, session in
                let file = folder.appending(path: "body")
                let upload = try Self.upload(kind, of: file, to: server.url("/"), in: session)
                let task = upload.serializingString()
                await hasBegun.wait()
                upload.suspend()
                mayRead.open()
                let count = await Self.settledCount(of: upload)
                #expect(count < Int64(Self.size))
                #expect(!hasAll.isOpen)
                #expect(upload.state == .suspended)
                upload.resume()
                let text = try await task.value
                #expect(text == "hi")
                #expect(hasAll.isOpen)
                #expect(upload.uploadProgress.completed >= Int64(Self.size))
            }
        }
    }

    @Test(arguments: Wire.allCases)
    func holdsTheBodyOfAStreamRequestBack(wire: Wire) async throws {
        let (hasFirst, hasAll) = (Gate(), Gate())
        try await wire.with(.script(Self.chunkScript(hasFirst, hasAll))) { server, session in
            let (chunks, source) = AsyncStream.makeStream(of: BodyChunk.self)
            let body = RequestBody.once(length: 6, chunks)
            let request = session.streamRequest(server.url("/"), method: .post, body: body).resume()
            source.yield(BodyChunk("one"))
            await hasFirst.wait()
            request.suspend()
            source.yield(BodyChunk("two"))
            source.finish()
            #expect(await eventually { session.liveCounts["continuations"] == 1 })
            #expect(!hasAll.isOpen)
            request.resume()
            var text = ""
            for await stream in request.streamTask().streamingStrings() { text += stream.value ?? "" }
            #expect(text == "hi")
            #expect(hasAll.isOpen)
        }
    }

    /// The second exchange begins while the request is suspended. Its body is not opened.
    @Test(arguments: Wire.allCases)
    func doesNotBeginTheBodyOfARedirect(wire: Wire) async throws {
        try await wire.with { server, session in
            let openingCount = LockedValue(0)
            let body = RequestBody.replayable { () -> AsyncStream<BodyChunk> in
                _ = openingCount.increased(by: 1)
                return AsyncStream.texts("one", "two")
            }
            let upload = session.upload(body, to: server.url("/redirect-to?url=/upload&status_code=307"))
            upload.redirect(
                using: .modify { [weak upload] request, _, _ in
                    upload?.suspend()
                    return request
                }
            )
            let task = upload.serializingString()
            #expect(await eventually { upload.metrics.exchanges.count == 2 })
            await Wire.yieldToOthers()
            #expect(openingCount.value == 1)
            upload.resume()
            let text = try await task.value
            #expect(text.contains("\"bytes\":6"))
            #expect(openingCount.value == 2)
        }
    }

    // MARK: Cancellation

    @Test(arguments: Wire.allCases)
    func canBeCancelled(wire: Wire) async throws {
        let hasBegun = Gate()
        let script: Script = [.expectHead, .expectBytes(1), .stopReading, .signal(hasBegun), .silence]
        try await wire.with(.script(script)) { server, session in
            let upload = session.upload(Data(count: Self.size), to: server.url("/"))
            let task = upload.serializingString()
            await hasBegun.wait()
            upload.suspend()
            upload.cancel()
            #expect(await task.response.error?.code == .cancelled)
        }
    }

    @Test(arguments: Wire.allCases)
    func canBeCancelledWhileAChunkWaits(wire: Wire) async throws {
        try await Self.withHeldChunk(wire) { upload, task, source, hasAll in
            upload.cancel()
            upload.resume()
            #expect(await task.response.error?.code == .cancelled)
            #expect(!hasAll.isOpen)
            source.finish()
        }
    }
}
