import ApusPlatform
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The files that `--download` saves.
@Suite(.timeLimit(.minutes(5))) struct CommandDownloadTests {
    @Test func savesUnderTheLastPartOfTheURL() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                for name in ["500000", "500000-1"] {
                    let run = await runner.atTerminal.run("-d", server.url("/bytes/500000?x=/y"))
                    #expect(run.exitCode == .success)
                    #expect(runner.file(name) == TestServer.pattern(count: 500_000))
                    #expect(run.output.bytes.isEmpty)
                    #expect(run.error.text.hasPrefix("Saved 500.0 kB to '\(name)' in "))
                }
                #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == "identity" })
            }
        }
    }

    @Test(arguments: [
        ("attachment; filename=../../../../tmp/apus-evil", "apus-evil"),
        ("attachment; filename=\"/etc/apus-evil\"", "apus-evil"),
        ("attachment; filename*=UTF-8''..%2F..%2Fapus%1B%5B2Jevil", "apus[2Jevil"),
        ("attachment; filename=.bashrc", "bashrc"),
        ("attachment; filename=..", "x"),
        ("attachment; filename=\"\"", "x"),
    ])
    func staysInItsFolder(disposition: String, name: String) async throws {
        let response = TestResponse(status: 200, fields: [("Content-Disposition", disposition)], body: .text("hello"))
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            try await CommandRunner.inFolder { runner in
                #expect(await runner.atTerminal.run("-d", server.url("/x")).exitCode == .success)
                #expect(runner.fileNames == [name])
                #expect(runner.file(name) == Array("hello".utf8))
            }
        }
    }

    @Test func followsRedirectsAndKeepsTheNameOfTheFirstURL() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                #expect(await runner.atTerminal.run("-d", server.url("/redirect/2")).exitCode == .success)
                #expect(runner.fileNames == ["2.json"])
            }
        }
    }

    @Test func savesNoErrorResponses() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                for runner in [runner, runner.atTerminal] {
                    let run = await runner.run("-d", server.url("/status/404"))
                    #expect(run.exitCode == .clientError)
                    #expect(run.error.text.contains("nothing was saved"))
                    #expect(await runner.run("-d", server.url("/status/500")).exitCode == .serverError)
                    #expect(runner.fileNames.isEmpty && run.output.bytes.isEmpty)
                }
            }
        }
    }

    @Test func usesTheGivenName() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("much longer than what comes", in: "mine")
                #expect(await runner.run("-d", "-o", "mine", server.url("/bytes/5")).exitCode == .success)
                #expect(runner.file("mine") == TestServer.pattern(count: 5))
                let piped = await runner.run("-d", "-o", "-", server.url("/bytes/5"))
                #expect(piped.output.bytes == TestServer.pattern(count: 5))
                #expect(runner.fileNames == ["mine"])
                var terminal = runner
                terminal.outputIsTerminal = true
                #expect(await terminal.run("-d", "-o", "-", server.url("/bytes/5")).exitCode == .failure)
            }
        }
    }

    @Test func writesToAPipe() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner
                runner.errorIsTerminal = true
                let run = await runner.run("-d", server.url("/bytes/500000"))
                #expect(run.exitCode == .success)
                #expect(run.output.bytes == TestServer.pattern(count: 500_000))
                #expect(run.error.text.contains("of 500.0 kB"))
                #expect(runner.fileNames.isEmpty)
                // A cURL command cannot know where it will run.
                let curl = await runner.run("--curl", "-d", server.url("/bytes/5"))
                #expect(curl.output.text.contains("-O") || curl.output.text.contains("--remote-name"))
            }
        }
    }

    @Test func keepsAndReportsAPartialDownload() async throws {
        let script: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.atTerminal.run("-d", server.url("/x"))
                #expect(run.exitCode == .failure)
                #expect(
                    run.error.text.contains("3 B of 9 B, is in 'x.part'; go on with --continue)"),
                    "\(run.error.text)"
                )
                #expect(runner.file("x.part") == Array("abc".utf8))
                #expect(runner.file("x") == nil)
            }
        }
    }

    /// A download without a byte has no part to keep.
    @Test func keepsNoEmptyPart() async throws {
        let script: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.atTerminal.run("-d", server.url("/x"))
                #expect(run.exitCode == .failure && run.hasOneSentence)
                #expect(!run.error.text.contains("part"), "\(run.error.text)")
                #expect(runner.fileNames.isEmpty)
            }
        }
    }

    /// The old file stays until the new one is complete.
    @Test func replacesTheFileAtTheEnd() async throws {
        let script: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("old", in: "mine")
                #expect(await runner.run("-d", "-o", "mine", server.url("/x")).exitCode == .failure)
                #expect(runner.file("mine") == Array("old".utf8))
                #expect(runner.file("mine.part") == Array("abc".utf8))
            }
        }
    }

    @Test func keepsThePermissionsAndTheLink() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("old", in: "mine")
                try #require(chmod("\(runner.folder)/mine", 0o600) == 0)
                try FileManager.default.createSymbolicLink(
                    atPath: "\(runner.folder)/link",
                    withDestinationPath: "mine"
                )
                #expect(await runner.run("-d", "-o", "link", server.url("/bytes/5")).exitCode == .success)
                #expect(runner.fileNames == ["link", "mine"])
                #expect(runner.file("mine") == TestServer.pattern(count: 5))
                #expect(FileStatus(path: "\(runner.folder)/mine")?.permissions == 0o600)
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(runner.folder)/link")
                #expect(target == "mine")
            }
        }
    }

    @Test func writesToADevice() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run("-d", "-o", "/dev/null", server.url("/bytes/500"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(run.error.text.hasPrefix("Saved 500 B to '/dev/null' in "))
                #expect(runner.fileNames.isEmpty)
            }
        }
    }

    /// A server can't have a file of another program replaced by its choice of a name.
    @Test func leavesForeignPartsAlone() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("mine", in: "5.part")
                #expect(await runner.atTerminal.run("-d", server.url("/download/5")).exitCode == .success)
                #expect(runner.fileNames == ["5-1", "5.part"])
                #expect(runner.file("5.part") == Array("mine".utf8))
                // With --output, the user has chosen the name.
                #expect(await runner.run("-d", "-o", "5", server.url("/download/5")).exitCode == .success)
                #expect(runner.fileNames == ["5", "5-1"])
            }
        }
    }

    @Test func showsProgressOnlyOnATerminal() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner.atTerminal
                runner.errorIsTerminal = true
                runner.environment["NO_COLOR"] = "1"
                let run = await runner.run("-d", "--pretty=none", "-b", server.url("/bytes/1000000"))
                #expect(run.error.text.contains("\r\u{1B}[K"))
                #expect(run.error.text.contains("of 1.0 MB"))
                #expect(run.error.text.contains("\u{1B}[K1000000 "))
                #expect(run.error.text.hasSuffix(").\n"))
                let quiet = await runner.run("-dq", server.url("/bytes/1000"))
                #expect(quiet.error.bytes.isEmpty)
            }
        }
    }
}
