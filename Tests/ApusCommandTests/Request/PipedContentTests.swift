import ApusPlatform
import ApusTestServer
import Dispatch
import Foundation
import Testing

@testable import ApusCommand

/// Bodies from pipes and devices, and files on standard input.
@Suite(.timeLimit(.minutes(5))) struct PipedContentTests {
    private static let long = PipedContent.heldBytes + 100_000
    private static let longContent = TestServer.pattern(count: long)
    private static let longChecksum = adler32(longContent[...])

    private static let acceptingServer = TestServer.Behavior.handler { _ in TestResponse(status: 200) }

    /// A pipe that is written while it is read.
    private struct Pipe {
        let reading: Int32
        private let writing: Int32
        private let group = DispatchGroup()

        /// - Parameters:
        ///   - count: The number of bytes to write.
        ///   - closes: Whether to close the pipe afterwards.
        /// - Throws: An error if no pipe can be created.
        init(_ count: Int, closes: Bool = true) throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let writing = ends[1]
            (reading, self.writing) = (ends[0], writing)
            DispatchQueue.global().async(group: group) {
                try? PipedContentTests.content(count).withUnsafeBytes { try FileDescriptor.write($0, to: writing) }
                if closes { FileDescriptor.close(writing) }
            }
        }

        /// Closes the descriptors that are still open.
        func close(wasClosed: Bool = true) {
            FileDescriptor.close(reading)
            group.wait()
            if !wasClosed { FileDescriptor.close(writing) }
        }
    }

    private func withPipe<Result>(_ count: Int, _ body: (Int32) async throws -> Result) async throws -> Result {
        let pipe = try Pipe(count)
        defer { pipe.close() }
        return try await body(pipe.reading)
    }

    private static func content(_ count: Int) -> [UInt8] {
        count == long ? longContent : TestServer.pattern(count: count)
    }

    private func checksum(_ count: Int) -> UInt32 {
        count == Self.long ? Self.longChecksum : Self.adler32(TestServer.pattern(count: count)[...])
    }

    private static func adler32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                // The largest number of bytes for which the sums do not overflow.
                let end = min(start + 5552, bytes.count)
                for index in start..<end {
                    low &+= UInt32(bytes[index])
                    high &+= low
                }
                (low, high) = (low % 65521, high % 65521)
                start = end
            }
        }
        return high << 16 | low
    }

    @Test func buffersShortInputAndSendsItsLength() async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            for count in [1, 70_000, 1 << 20, (1 << 20) + 1, PipedContent.heldBytes] {
                try await withPipe(count) { reading in
                    let run = await CommandRunner(input: .descriptor(reading)).run(server.origin)
                    #expect(run.exitCode == .success, "\(run.error.text)")
                }
                let request = try #require(server.requests.last)
                #expect(request.method == "POST" && request["Content-Length"] == "\(count)")
                #expect(request.bodyByteCount == count && request.bodyChecksum == checksum(count))
            }
        }
    }

    @Test func streamsLongInput() async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            try await withPipe(Self.long) { reading in
                let run = await CommandRunner(input: .descriptor(reading)).run("--print=h", server.origin)
                #expect(run.exitCode == .success, "\(run.error.text)")
            }
            let request = try #require(server.requests.last)
            #expect(request["Transfer-Encoding"] == "chunked" && request["Content-Length"] == nil)
            #expect(request.bodyByteCount == Self.long && request.bodyChecksum == checksum(Self.long))
        }
    }

    /// A redirect, a retry and Digest send the body again. Compressing and printing read it again.
    @Test(arguments: [["-F"], ["--retry=1"], ["-A", "digest", "-a", "a:b"], ["-v"], ["--print=B"], ["-xx"]])
    func buffersInputThatIsReadTwice(flags: [String]) async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            try await withPipe(Self.long) { reading in
                let run = await CommandRunner(input: .descriptor(reading)).run(flags + [server.origin])
                #expect(run.exitCode == .success, "\(run.error.text)")
                if flags == ["--print=B"] { #expect(run.output.bytes == Self.longContent) }
            }
            #expect(server.requests.last?.isComplete == true)
            guard flags != ["-xx"] else { return }
            #expect(server.requests.last?["Content-Length"] == "\(Self.long)")
        }
    }

    @Test func printsTheRequestOffline() async throws {
        try await withPipe(Self.long) { reading in
            let run = await CommandRunner(input: .descriptor(reading)).run("--offline", "http://h")
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.output.bytes.suffix(Self.long).elementsEqual(Self.longContent))
            let head = String(decoding: run.output.bytes.dropLast(Self.long), as: UTF8.self)
            #expect(head.contains("\r\nTransfer-Encoding: chunked\r\n"))
        }
    }

    @Test func resendsAFileOnStandardInput() async throws {
        let there = [("Location", "/there")]
        let behavior = TestServer.Behavior.handler { request in
            request.path == "/" ? TestResponse(status: 307, fields: there) : TestResponse(status: 200)
        }
        try await TestServer.with(behavior: behavior) { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner
                for (count, skipped) in [(10, 0), (10, 4), (Self.long, 0), (Self.long, 7), (10, 10)] {
                    try Data(Self.content(count)).write(to: URL(filePath: "\(runner.folder)/x"))
                    let descriptor = try FileDescriptor.open("\(runner.folder)/x", O_RDONLY)
                    defer { FileDescriptor.close(descriptor) }
                    lseek(descriptor, off_t(skipped), SEEK_SET)
                    runner.input = .descriptor(descriptor)
                    server.forgetRequests()
                    let run = await runner.run("-F", server.url("/"))
                    #expect(run.exitCode == .success, "\(run.error.text)")
                    #expect(server.requests.map(\.path) == ["/", "/there"])
                    let remaining = count - skipped
                    let sum = Self.adler32(Self.content(count).dropFirst(skipped))
                    for request in server.requests {
                        #expect(request.method == (remaining == 0 ? "GET" : "POST"))
                        #expect(request["Content-Length"] == (remaining == 0 ? nil : "\(remaining)"))
                        #expect(request.bodyByteCount == remaining)
                        #expect(request.bodyChecksum == sum)
                    }
                }
            }
        }
    }

    /// A silent writer does not delay the end of the command.
    @Test func timesOutOnASilentPipe() async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            let pipe = try Pipe(Self.long, closes: false)
            defer { pipe.close(wasClosed: false) }
            let run = await CommandRunner(input: .descriptor(pipe.reading)).run("--timeout=0.5", server.origin)
            #expect(run.exitCode == .timeout, "\(run.error.text)")
        }
    }

    @Test func acceptsAPipeAsAFile() async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            for count in [0, 10, Self.long] {
                try await withPipe(count) { reading in
                    let run = await CommandRunner().run("PUT", server.origin, "@/dev/fd/\(reading)")
                    #expect(run.exitCode == .success, "\(run.error.text)")
                }
                let request = try #require(server.requests.last)
                #expect(request.bodyByteCount == count && request.bodyChecksum == checksum(count))
                #expect(request["Content-Length"] == (count > PipedContent.heldBytes ? nil : "\(count)"))
            }
            try await withPipe(10) { reading in
                let run = await CommandRunner().run("-f", server.origin, "a@/dev/fd/\(reading);type=text/x-a")
                #expect(run.exitCode == .success, "\(run.error.text)")
                let text = try #require(server.requests.last?.bodyText)
                #expect(text.contains("name=\"a\"; filename=\"\(reading)\"\r\nContent-Type: text/x-a\r\n\r\n"))
                #expect(text.contains(String(decoding: TestServer.pattern(count: 10), as: UTF8.self)))
            }
        }
    }

    @Test func readsANamedPipe() async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            try await CommandRunner.inFolder { runner in
                let path = "\(runner.folder)/pipe"
                try #require(mkfifo(path, 0o600) == 0)
                for words in [["@pipe"], ["-f", "f@pipe"], ["--raw", "", "q==@pipe"]] {
                    DispatchQueue.global().async {
                        guard let writing = try? FileDescriptor.open(path, O_WRONLY) else { return }
                        try? Array("piped".utf8).withUnsafeBytes { try FileDescriptor.write($0, to: writing) }
                        FileDescriptor.close(writing)
                    }
                    let run = await runner.run(["POST", server.url("/")] + words)
                    #expect(run.exitCode == .success, "\(run.error.text)")
                    let request = try #require(server.requests.last)
                    #expect((request.target + request.bodyText).contains("piped"))
                }
            }
        }
    }

    /// If an item names standard input, it is not used as the body too.
    @Test(arguments: [["@/dev/stdin"], ["text=@/dev/stdin"], ["-f", "text@/dev/stdin"], ["@/dev/fd/0"]])
    func readsStandardInputByItsName(words: [String]) async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { FileDescriptor.close(ends[0]) }
            try Array("piped".utf8).withUnsafeBytes { try FileDescriptor.write($0, to: ends[1]) }
            FileDescriptor.close(ends[1])
            let run = await CommandRunner(input: .descriptor(ends[0])).run([server.url("/")] + words)
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(server.requests.last?.bodyText.contains("piped") == true)
        }
    }

    @Test func archivesSingleUseInput() async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner
                try await withPipe(Self.long) { reading in
                    runner.input = .descriptor(reading)
                    let run = await runner.run("--har=x.har", server.origin)
                    #expect(run.exitCode == .success, "\(run.error.text)")
                }
                #expect(server.requests.last?.bodyByteCount == Self.long)
                #expect(runner.file("x.har")?.isEmpty == false)
            }
        }
    }

    /// Files of procfs have bytes although their size is 0.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
    func sendsFilesWhoseSizeIsZero() async throws {
        try await TestServer.with(behavior: Self.acceptingServer) { server in
            let path = "/proc/self/status"
            let descriptor = try FileDescriptor.open(path, O_RDONLY)
            defer { FileDescriptor.close(descriptor) }
            let runs: [(StandardInput, [String])] = [
                (.terminal, ["@\(path)"]), (.terminal, ["-f", "f@\(path)"]), (.descriptor(descriptor), []),
                (.terminal, ["-F", "@\(path)"]),
            ]
            for (input, words) in runs {
                let run = await CommandRunner(input: input).run(["POST", server.url("/")] + words)
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(server.requests.last?.bodyText.contains("Name:\t") == true, "\(words)")
            }
            let coded = await CommandRunner().run("-x", server.url("/"), "@\(path)")
            #expect(coded.exitCode == .success, "\(coded.error.text)")
            #expect(server.requests.last?["Content-Encoding"] == "deflate")
            let curl = await CommandRunner().run("--curl", "http://h", "@\(path)")
            #expect(curl.output.text.contains("--data-binary '@\(path)'"), "\(curl.error.text)")
            let part = await CommandRunner().run("--curl", "-f", "http://h", "f@\(path)")
            #expect(part.exitCode == .success, "\(part.error.text)")
        }
    }
}
