import Apus
import ApusPlatform
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// A file that cannot be read for now, as on an unreachable network file system, delays only requests that need it.
@Suite(.timeLimit(.minutes(5))) struct HungFileTests {
    @Test func delaysNoOtherTrustWhenAnAuthorityFileHangs() async throws {
        try await HungFiles.with(3) { files in
            try files.hang()
            let server = try await TestServer.start(tls: .localhost)
            let message = try RequestMessage(Wire.tls.named(server))
            let hung = files.urls.map { file in
                Wire.tls.session(resolver: ScriptedResolver()) {
                    $0.trust.roots = .file(file.path)
                    $0.timeouts.connect = .milliseconds(500)
                }
            }
            let requests = hung.map { Form.direct.start(message, on: $0) }
            for request in requests {
                let error = await request.value.error
                #expect(error?.code == .connectTimeout)
                #expect(error?.detail.contains("TLS settings") == true)
            }
            // The session no longer waits for the files, although their threads still hang.
            for session in hung { try await assertNothingLeft(session) }
            let session = Wire.tls.session(resolver: ScriptedResolver()) { $0.timeouts.connect = .seconds(30) }
            #expect(await Form.direct.outcome(of: message, on: session).error == nil)
            try await assertNothingLeft(session)
            files.release()
            await server.stop()
        }
    }

    @Test func delaysNoOtherUploadWhenFilesHang() async throws {
        try await HungFiles.with(8) { files in
            try await Wire.plain.with(configure: { $0.pool.connectionsPerOrigin = 16 }) { server, session in
                let good = FileManager.default.temporaryDirectory
                    .appending(path: "apus-sent-\(UInt64.random(in: 0 ... .max))")
                try Data(count: 1_000_000).write(to: good)
                defer { try? FileManager.default.removeItem(at: good) }
                func upload(_ file: URL) throws -> RequestMessage {
                    try RequestMessage(server.url("/upload"), method: .post, body: .file(file))
                }
                let messages = try files.urls.map { try upload($0) }
                try files.hang()
                let hung = messages.enumerated().map { Form.allCases[$0 % 3].start($1, on: session) }
                for _ in 0..<4 {
                    let options: RequestOptions = [RequestDeadline(.seconds(30))]
                    try await session.send(try upload(good), options: options).validate()
                }
                files.release()
                for request in hung { #expect(await request.value.code != nil) }
            }
        }
    }
}

/// Files whose `open` hangs: named pipes that nothing writes to.
private final class HungFiles {
    let urls: [URL]
    private var descriptors: [Int32] = []

    private init(urls: [URL]) {
        self.urls = urls
    }

    /// Creates regular files, which `hang()` can turn into hanging ones, and releases them at the end.
    static func with(_ count: Int, _ body: (HungFiles) async throws -> Void) async throws {
        let name = "apus-hung-\(UInt64.random(in: 0 ... .max))"
        let folder = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = HungFiles(urls: (0..<count).map { folder.appending(path: "\($0)") })
        for url in files.urls { try Data("hello".utf8).write(to: url) }
        defer { files.end() }
        try await body(files)
    }

    func hang() throws {
        for url in urls {
            try FileManager.default.removeItem(at: url)
            try #require(mkfifo(url.path, 0o600) == 0)
        }
    }

    /// Opens the pipes for writing, which unblocks all current and later readers.
    func release() {
        descriptors += urls.map { open($0.path, O_RDWR | O_NONBLOCK) }
    }

    private func end() {
        release()
        for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
    }
}
