import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The output of `--curl`, run by a shell, sends the same requests as this command.
@Suite(.timeLimit(.minutes(5))) struct CurlTests {
    private func text(_ arguments: String...) async -> String {
        let run = await CommandRunner().run(["--curl"] + arguments)
        return run.exitCode == .success ? run.output.text : run.error.text
    }

    @Test func printsOneLineAndSendsNothing() async {
        let agent = "-H 'User-Agent: apus/\(Command.version)'"
        let codings = "-H 'Accept-Encoding: gzip, deflate'"
        #expect(
            await text("http://127.0.0.1:1/a?b=c")
                == "curl --compressed \(codings) \(agent) -H 'Accept: */*' 'http://127.0.0.1:1/a?b=c'\n"
        )
        let bare = ["User-Agent:", "Accept:", "Accept-Encoding:", "Content-Type:"]
        let nothing = "-H 'User-Agent:' -H 'Accept:'"
        let plain = { (arguments: String...) async -> String in
            let run = await CommandRunner().run(["--curl"] + arguments + ["http://h"] + bare)
            return String(decoding: run.output.bytes, as: UTF8.self)
        }
        #expect(await plain("-F") == "curl -L --max-redirs '30' \(nothing) 'http://h/'\n")
        #expect(await plain("--timeout=2.5") == "curl --max-time '2.500' \(nothing) 'http://h/'\n")
        #expect(await plain("--timeout=3") == "curl --max-time '3' \(nothing) 'http://h/'\n")
        #expect(await plain("--limit-rate=2K") == "curl \(nothing) '--limit-rate' '2048' 'http://h/'\n")
        #expect(await plain("--verify=no") == "curl -k \(nothing) 'http://h/'\n")
        #expect(await plain("--offline", "-o", "-x y") == "curl \(nothing) '--output' '-x y' 'http://h/'\n")
        #expect(await plain("-a", "ada:pä'ss") == "curl -u 'ada:pä'\\''ss' \(nothing) 'http://h/'\n")
        #expect(await plain("HEAD") == "curl -I \(nothing) 'http://h/'\n")
        #expect(await plain("DELETE") == "curl -X 'DELETE' \(nothing) 'http://h/'\n")
        #expect(await plain("PUT") == "curl -X 'PUT' \(nothing) -H 'Content-Type:' --data-raw '' 'http://h/'\n")
        #expect(await plain("--raw", "@x") == "curl \(nothing) -H 'Content-Type:' --data-raw '@x' 'http://h/'\n")
    }

    @Test func printsThePartsOfAForm() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put("x", in: "a b,c;d.txt")
            let run = await runner.run(
                "--curl",
                "-f",
                "http://h",
                "n=@a b,c;d.txt",
                "v=@",
                "f@a b,c;d.txt",
                "User-Agent:"
            )
            #expect(run.exitCode == .failure)
            let form = await runner.run("--curl", "-f", "http://h", "n=1", "f@a b,c;d.txt", "User-Agent:", "Accept:")
            #expect(
                form.output.text.contains(
                    " --form-string 'n=1' -F 'f=@\"\(runner.folder)/a b,c;d.txt\";type=text/plain' "
                )
            )
            #expect(!form.output.text.contains("Content-Type"))
            let own = await runner.run("--curl", "--multipart", "--boundary=xoxo", "http://h", "n=1")
            #expect(own.output.text.contains("boundary=xoxo' "))
            #expect(own.output.text.contains("printf '\\055-xoxo\\015\\nContent-Disposition"))
        }
    }

    @Test func reportsUnsupportedRequests() async throws {
        #expect(await text("HEAD", "http://h", "a=b").contains("a HEAD request with a body"))
        let large = await CommandRunner(input: .bytes([UInt8](repeating: 0, count: 1 << 20 + 1))).run(
            "--curl",
            "http://h"
        )
        #expect(large.exitCode == .failure)
        #expect(large.error.text.contains("1048577 bytes"))
    }

    /// Tests each value in each part of a request.
    @Test(.enabled(if: Shell.hasCurl), arguments: CurlCase.Position.allCases)
    func sendsTheSameValues(in position: CurlCase.Position) async throws {
        try await TestServer.with(behavior: CurlComparison.respond) { server in
            try await CommandRunner.inFolder { runner in
                let attempts = try CurlCase.values.enumerated().map { number, value in
                    // A valid file name.
                    let name = "\(number)" + value.prefix(100).replacing("/", with: "_").replacing("\0", with: "_")
                    try runner.put(value, in: name)
                    return try CurlCase(value, in: position, fileName: name, origin: server.origin)
                }
                try await CurlComparison.compare(attempts, runner, server)
            }
        }
    }

    /// Neither a field nor an argument can contain it.
    @Test func rejectsANulInAField() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put("a\0b", in: "zero.bin")
            for flag in ["--curl", "--offline"] {
                let run = await runner.run(flag, "http://h", "X-A:@zero.bin")
                #expect(run.exitCode == .failure)
                #expect(run.error.text.contains("'X-A:@zero.bin' has a control character"))
            }
        }
    }

    /// Random requests with values that curl or a shell could misinterpret.
    @Test(.enabled(if: Shell.hasCurl)) func sendsTheSameRandomRequests() async throws {
        try await TestServer.with(behavior: CurlComparison.respond) { server in
            try await CommandRunner.inFolder { runner in
                let bytes = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
                try bytes.write(to: URL(fileURLWithPath: "\(runner.folder)/\(CurlCase.files[0])"))
                try runner.put("text", in: CurlCase.files[1])
                var generator = SeededGenerator(seed: 20)
                for _ in 0..<2 {
                    let attempts = try (0..<50).map { _ in try CurlCase(origin: server.origin, using: &generator) }
                    try await CurlComparison.compare(attempts, runner, server)
                }
            }
        }
    }
}
