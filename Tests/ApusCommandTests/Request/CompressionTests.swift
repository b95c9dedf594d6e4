import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

@Suite(.timeLimit(.minutes(5))) struct CompressionTests {
    private let long = String(repeating: "ab", count: 1000)

    @Test func compressesIfTheBodyGetsShorter() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("-x", server.url("/anything"), "--raw", long)
            #expect(run.exitCode == .success)
            let request = try #require(server.requests.last)
            #expect(request["Content-Encoding"] == "deflate")
            #expect(request["Content-Length"] == "\(request.body.count)")
            #expect(request.body.count < 100)
            // The format of RFC 1950, which RFC 9110 calls deflate.
            #expect(request.body.first == 0x78)

            #expect(await CommandRunner().run("-x", server.url("/anything"), "a=b").exitCode == .success)
            #expect(server.requests.last?["Content-Encoding"] == nil)
            #expect(server.requests.last?.bodyText == #"{"a": "b"}"#)
            #expect(await CommandRunner().run("-xx", server.url("/anything"), "a=b").exitCode == .success)
            #expect(server.requests.last?["Content-Encoding"] == "deflate")
            #expect(await CommandRunner().run("-xx", server.url("/anything")).exitCode == .success)
            #expect(server.requests.last?["Content-Encoding"] == nil)
        }
    }

    @Test func compressesFilesAndForms() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put(String(repeating: "0123456789", count: 30_000), in: "x.txt")
                #expect(await runner.run("--compress", "PUT", server.url("/anything"), "@x.txt").exitCode == .success)
                let file = try #require(server.requests.last)
                #expect(file["Content-Encoding"] == "deflate" && file["Content-Type"] == "text/plain")
                #expect(file.body.count < 3000 && file["Content-Length"] == "\(file.body.count)")
                #expect(await runner.run("-x", "-f", server.url("/anything"), "f@x.txt").exitCode == .success)
                #expect(server.requests.last?["Content-Encoding"] == "deflate")
                let noise = Data((0..<50_000).map { _ in UInt8.random(in: 0...255) })
                try noise.write(to: URL(fileURLWithPath: "\(runner.folder)/noise"))
                #expect(await runner.run("-x", server.url("/anything"), "@noise").exitCode == .success)
                #expect(server.requests.last?["Content-Encoding"] == nil)
                #expect(server.requests.last?.body == Array(noise))
            }
        }
    }

    @Test func printsAndSendsTheSame() async throws {
        try await TestServer.with { server in
            for method in ["POST", "GET"] {
                server.forgetRequests()
                let sent = await CommandRunner().run("-x", "--print=HB", method, server.url("/anything"), "--raw", long)
                let request = try #require(server.requests.first)
                #expect(sent.output.bytes == request.head + request.body)
                let offline = await CommandRunner().run(
                    "-x",
                    "--offline",
                    method,
                    server.url("/anything"),
                    "--raw",
                    long
                )
                #expect(offline.output.bytes == sent.output.bytes)
            }
        }
    }

    @Test func rejectsABodyThatIsAlreadyCoded() async {
        let run = await CommandRunner().run("-x", "--offline", "http://h", "a=b", "Content-Encoding:gzip")
        #expect(run.exitCode == .failure)
        #expect(run.error.text.contains("Content-Encoding 'gzip'"))
    }
}
