internal import Apus
internal import ApusTestServer
internal import ApusTesting

@testable internal import ApusTransfers

/// The scripts of a server of resumable uploads, for the suites that run them.
protocol UploadScripts {}

extension UploadScripts {
    /// The interim response that announces an upload resource.
    static func announcement(_ location: String = "/uploads/1", _ fields: String = "") -> Step {
        .send(
            "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\n"
                + "Location: \(location)\r\n\(fields)\r\n"
        )
    }

    static func response(_ status: Int, _ fields: String = "", body: String = "") -> Step {
        let length = status == 204 ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return .send("HTTP/1.1 \(status) X\r\n\(fields)\(length)\r\n\(body)")
    }

    static func offset(_ count: Int, _ fields: String = "Upload-Complete: ?0\r\n") -> Step {
        response(204, "Upload-Offset: \(count)\r\n\(fields)")
    }

    /// A connection that announces an upload resource, takes some bytes, and is cut once the gate is open.
    static func cut(after count: Int, _ gate: Gate) -> Script {
        [.expectHead, announcement(), .expectBytes(count), .wait(gate), .reset]
    }

    /// A connection that reports an offset, and completes the upload.
    static func completing(at count: Int) -> Script {
        [.expectHead, offset(count), .expectHead, .expectBody, response(200, body: "done"), .silence]
    }

    /// Runs a test against a server, and checks that no resources are left at the end.
    func with(
        _ scripts: [Script],
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ work: (TestServer, Session) async throws -> Void
    ) async throws {
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            var configuration = Session.Configuration()
            configuration.proxy = .none
            configuration.timeouts.poolWait = nil
            configuration.timeouts.connect = .seconds(60)
            configure(&configuration)
            let session = Session(configuration: configuration)
            do {
                try await work(server, session)
            } catch {
                await session.shutdown(within: .zero)
                throw error
            }
            try await assertNothingLeft(session)
        }
    }

    /// Opens a gate when the upload knows its resource. A connection that is cut before may lose the interim response.
    func open(
        _ gate: Gate,
        withStateOf upload: ResumableUpload,
        _ work: @escaping @Sendable () async -> Void = {}
    ) {
        let states = upload.states()
        Task {
            for await _ in states {
                await work()
                gate.open()
            }
        }
    }
}
