import ApusTestServer
import Testing

@testable import ApusCommand

/// Forms that are sent as multipart bodies.
@Suite(.timeLimit(.minutes(5))) struct MultipartTests {
    private func offline(_ runner: CommandRunner, _ arguments: String...) async -> CommandOutcome {
        await runner.run(["--offline", "http://h"] + arguments)
    }

    @Test func sendsPartsInOrder() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("<svg/>", in: "sea.svg")
                let run = await runner.run(
                    "-f",
                    server.url("/anything"),
                    "a=1",
                    "f@sea.svg",
                    "n:=2",
                    "g@sea.svg;type=x/y"
                )
                #expect(run.exitCode == .success, "\(run.error.text)")
                let request = try #require(server.requests.first)
                #expect(request.method == "POST")
                let type = try #require(request["Content-Type"])
                let boundary = String(type.dropFirst("multipart/form-data; boundary=".count))
                let text = """
                    --\(boundary)
                    Content-Disposition: form-data; name="a"

                    1
                    --\(boundary)
                    Content-Disposition: form-data; name="f"; filename="sea.svg"
                    Content-Type: image/svg+xml

                    <svg/>
                    --\(boundary)
                    Content-Disposition: form-data; name="n"

                    2
                    --\(boundary)
                    Content-Disposition: form-data; name="g"; filename="sea.svg"
                    Content-Type: x/y

                    <svg/>
                    --\(boundary)--

                    """
                #expect(request.bodyText == text.replacing("\n", with: "\r\n"))
                #expect(request["Content-Length"] == "\(request.body.count)")
            }
        }
    }

    @Test func printsTheRequestOffline() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put("abc", in: "x.txt")
            let shown = await offline(runner, "--multipart", "--boundary=xoxo", "a=b", "f@x.txt", "User-Agent:")
            #expect(
                shown.output.text
                    == """
                    POST / HTTP/1.1
                    Host: h
                    Accept-Encoding: gzip, deflate
                    Accept: */*
                    Content-Type: multipart/form-data; boundary=xoxo
                    Content-Length: 166

                    --xoxo
                    Content-Disposition: form-data; name="a"

                    b
                    --xoxo
                    Content-Disposition: form-data; name="f"; filename="x.txt"
                    Content-Type: text/plain

                    abc
                    --xoxo--

                    """.replacing("\n", with: "\r\n")
            )
        }
    }

    @Test(arguments: [
        (["--boundary=a b"], "Content-Type: multipart/form-data; boundary=\"a b\""),
        (["Content-Type:multipart/letter", "--boundary=x"], "Content-Type: multipart/letter; boundary=x"),
        (["Content-Type:multipart/letter;boundary=\"y\""], "Content-Type: multipart/letter;boundary=\"y\""),
        (["Content-Type:a/b; boundary=y", "--boundary=y"], "Content-Type: a/b; boundary=y"),
    ])
    func declaresTheBoundary(arguments: [String], expected: String) async {
        let run = await CommandRunner().run(["--offline", "--multipart", "http://h", "a=b"] + arguments)
        #expect(run.output.text.contains(expected + "\r\n"), "\(run.output.text) \(run.error.text)")
        let boundary = expected.split(separator: "boundary=")[1].filter { $0 != "\"" }
        #expect(run.output.text.hasSuffix("\r\n--\(boundary)--\r\n"))
    }

    @Test func omitsTheFieldIfRequested() async {
        let run = await CommandRunner().run("--offline", "--multipart", "http://h", "a=b", "Content-Type:")
        #expect(!run.output.text.contains("Content-Type"))
    }

    @Test(arguments: [
        (["--multipart", "--boundary=x", "a=b", "Content-Type:a/b; boundary=y"], "drop one of the two"),
        (["--multipart", "--boundary", "", "a=b"], "the boundary '' can't be used"),
        (["--multipart", "--boundary=ü", "a=b"], "the boundary 'ü' can't be used"),
        (["--boundary=x", "a=b"], "--boundary needs a form with parts"),
        (["-f", "--boundary=x", "a=b"], "add --multipart"),
        (["--multipart", "@x.txt"], "write 'name@x.txt'"), (["-f", "@x.txt", "a=b"], "or write 'name@x.txt'"),
        (["a@x.txt"], "add --form"), (["-f", "a@missing"], "missing' can't be opened: No such file"),
        (["@missing"], "missing' can't be opened: No such file or directory; check the name after the '@'"),
        (["a=@missing"], "the file 'missing', but it can't be read: no such file or directory; check its name"),
        (["-f", "a@"], "has no file name"), (["--multipart", "a:={}"], "a form has only text"),
        (["--multipart", "--raw=x"], "--raw, which has no parts"), (["-f", "a@."], "not a regular file"),
    ])
    func reportsErrors(arguments: [String], expected: String) async throws {
        try await CommandRunner.inFolder { runner in
            let run = await runner.run(["--offline", "http://h"] + arguments)
            #expect(run.exitCode == .failure)
            #expect(run.output.bytes.isEmpty)
            #expect(run.error.text.contains(expected), "\(run.error.text)")
            #expect(run.error.text.count { $0 == "\n" } == 1)
        }
    }

    @Test func isEmptyWithoutAPart() async {
        let run = await CommandRunner().run("--offline", "--multipart", "http://h", "X:y")
        #expect(run.output.text.hasPrefix("GET / HTTP/1.1\r\n"))
        #expect(!run.output.text.contains("Content-Type"))
    }

    @Test func printsBinaryFilesOnlyToAPipe() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put("a\u{0}\u{1B}[2J", in: "x.bin")
            var runner = runner
            let piped = await offline(runner, "-f", "--print=B", "f@x.bin")
            #expect(piped.output.text.contains("\r\n\r\na\u{0}\u{1B}[2J\r\n--"))
            runner.outputIsTerminal = true
            let shown = await offline(runner, "-f", "--print=B", "f@x.bin")
            #expect(shown.output.text.contains("binary data not shown"))
            #expect(!shown.output.text.contains("[2J"))
        }
    }
}
