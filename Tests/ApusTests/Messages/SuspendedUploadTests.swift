import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// A suspended upload does not start. A running one sends its body and does not read the response.
@Suite(.timeLimit(.minutes(5))) struct SuspendedUploadTests {
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

    @Test(arguments: Wire.allCases)
    func sendsTheRestOfItsBody(wire: Wire) async throws {
        let size = 32 << 20
        let (hasBegun, mayRead, hasAll) = (Gate(), Gate(), Gate())
        let script: Script = [
            .expectHead, .expectBytes(1), .signal(hasBegun), .wait(mayRead), .expectBytes(size - 1), .signal(hasAll),
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), .silence,
        ]
        try await wire.with(.script(script)) { server, session in
            let upload = session.upload(Data(count: size), to: server.url("/"))
            let task = upload.serializingString()
            await hasBegun.wait()
            upload.suspend()
            mayRead.open()
            await hasAll.wait()
            await Wire.yieldToOthers()
            #expect(upload.state == .suspended)
            #expect(upload.response == nil)
            upload.resume()
            let text = try await task.value
            #expect(text == "hi")
            #expect(upload.uploadProgress.completed == Int64(size))
        }
    }

    @Test(arguments: Wire.allCases)
    func canBeCancelled(wire: Wire) async throws {
        let hasBegun = Gate()
        let script: Script = [.expectHead, .expectBytes(1), .stopReading, .signal(hasBegun), .silence]
        try await wire.with(.script(script)) { server, session in
            let upload = session.upload(Data(count: 32 << 20), to: server.url("/"))
            let task = upload.serializingString()
            await hasBegun.wait()
            upload.suspend()
            upload.cancel()
            #expect(await task.response.error?.code == .cancelled)
        }
    }
}
