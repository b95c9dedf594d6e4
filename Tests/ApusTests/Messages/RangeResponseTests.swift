import Apus
import ApusCore
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// Responses of strange and hostile servers to a download that asks for the rest of a file.
@Suite(.timeLimit(.minutes(5))) struct RangeResponseTests {
    private static let served = ServedDownload()
    private static let content = Data(served.content)
    private static let changed = Array("another file".utf8)
    private static let rest = Array(served.content.dropFirst(20))

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var file: URL { folder.url("file") }

    private static func retrying(_ configuration: inout Session.Configuration) {
        configuration.interceptor = RetryPolicy(retryLimit: 2, scale: .zero)
        configuration.retryBudget = nil
    }

    private static func bytes(_ head: String, _ body: some Sequence<UInt8>) -> [UInt8] {
        Array("HTTP/1.1 \(head)\r\n\r\n".utf8) + body
    }

    /// A response to `Range: bytes=20-`. The connection is closed after it.
    struct Useless: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ head: String, _ body: [UInt8] = RangeResponseTests.rest) {
            self.testDescription = name
            self.bytes = RangeResponseTests.bytes("\(head)\r\nConnection: close", body)
        }
    }

    /// Cuts the first response, sends that one, and then another version of the file.
    private func scripts(_ response: [UInt8]) -> [Script] {
        let whole = Self.bytes("200 OK\r\nETag: \"2\"\r\nContent-Length: \(Self.changed.count)", Self.changed)
        return [
            [.expectHead, .sendBytes(Self.served.half), .close],
            [.expectHead, .sendBytes(response), .close],
            [.expectHead, .sendBytes(whole), .close],
        ]
    }

    // MARK: Restarts

    private static let tagged = "206 Partial Content\r\nETag: \"1\""

    private static func head(_ range: String, _ length: Int = 20) -> String {
        "\(tagged)\r\nContent-Range: bytes \(range)\r\nContent-Length: \(length)"
    }

    static let useless: [Useless] = [
        Useless("416", "416 Range Not Satisfiable\r\nContent-Range: bytes */5\r\nContent-Length: 0", []),
        Useless("no range", "\(tagged)\r\nContent-Length: 20"),
        Useless("another range", head("0-19/40")),
        Useless("a reversed range", head("39-20/40")),
        Useless("another total", head("20-39/50")),
        Useless("two ranges", "\(head("20-39/40"))\r\nContent-Range: bytes 0-19/40"),
        Useless("a longer body", head("20-39/40", 21), rest + [0]),
        Useless("a shorter body", head("20-39/40", 19), Array(rest.dropLast())),
        Useless("a coded body", "\(head("20-39/40"))\r\nContent-Encoding: gzip"),
        Useless("two tags", "\(head("20-39/40"))\r\nETag: \"2\""),
        Useless(
            "another version",
            "206 Partial Content\r\nETag: \"2\"\r\nContent-Range: bytes 20-39/40\r\nContent-Length: 20"
        ),
        Useless(
            "several parts",
            "\(tagged)\r\nContent-Type: multipart/byteranges; boundary=b\r\nContent-Length: 9",
            Array("--b--\r\n\r\n".utf8)
        ),
    ]

    @Test(arguments: Wire.allCases, useless)
    func beginsAnewAfterAUselessResponse(wire: Wire, response: Useless) async throws {
        try await wire.with(.scripts(scripts(response.bytes)), configure: Self.retrying) { server, session throws in
            let outcome = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(outcome.error == nil)
            #expect(try Data(contentsOf: file) == Data(Self.changed))
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20-", nil])
            #expect(outcome.metrics.exchanges.map(\.cause) == [.first, .retry, .restart])
            #expect(try folder.names == ["file"])
        }
    }

    /// A server that ignores ranges.
    @Test(arguments: Wire.allCases) func acceptsTheWholeFile(wire: Wire) async throws {
        let whole = Self.bytes("200 OK\r\nETag: \"1\"\r\nContent-Length: 40\r\nConnection: close", Self.content)
        try await wire.with(.scripts(scripts(whole)), configure: Self.retrying) { server, session throws in
            let outcome = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(outcome.error == nil)
            #expect(try Data(contentsOf: file) == Self.content)
            #expect(server.requestCount == 2)
            #expect(try folder.names == ["file"])
        }
    }

    /// Its whole responses are cut, and its ranges are useless.
    @Test(arguments: Wire.allCases) func restartsOnceInEachAttempt(wire: Wire) async throws {
        let behavior = TestServer.Behavior.handler { request in
            guard request["Range"] == nil else { return TestResponse(status: 416) }
            return Self.served.response(to: request, cutAfter: 20)
        }
        try await wire.with(behavior, configure: Self.retrying) { server, session throws in
            let outcome = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(outcome.error?.code == .connectionClosed)
            #expect(server.requestCount == 5)
            #expect(try folder.names == [])
        }
    }

    // MARK: Long bodies

    /// A chunked body has no declared length that could contradict its range.
    @Test(arguments: Wire.allCases, ["40", "*"])
    func rejectsMoreThanTheRange(wire: Wire, total: String) async throws {
        let head = "\(Self.tagged)\r\nContent-Range: bytes 20-39/\(total)\r\nTransfer-Encoding: chunked"
        let chunks = Array("14\r\n".utf8) + Self.rest + Array("\r\n1\r\n!\r\n0\r\n\r\n".utf8)
        let scripts = scripts(Self.bytes(head, chunks))
        try await wire.with(.scripts(scripts), configure: Self.retrying) { server, session throws in
            let outcome = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(outcome.error?.code == .malformedResponse)
            #expect(try folder.names == [])
            #expect(server.requestCount == 2)
        }
    }

    // MARK: Codings

    /// The whole was decoded, so a range of the coded bytes can't follow it. RFC 9110 §15.3.7: the response with such a
    /// range need not name its coding.
    @Test(arguments: Wire.allCases) func continuesNoDecodedFile(wire: Wire) async throws {
        let coded = StoredGzip.coded(Self.served.content)
        let head = "200 OK\r\nETag: \"1\"\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)"
        let scripts: [Script] = [
            [.expectHead, .sendBytes(Self.bytes(head, coded.prefix(40))), .close],
            [.expectHead, .sendBytes(Self.bytes(head, coded)), .silence],
        ]
        try await wire.with(.scripts(scripts), configure: Self.retrying) { server, session throws in
            let outcome = await session.download(server.url("/f"), to: .file(file)).serializingURL().response
            #expect(outcome.error == nil)
            #expect(try Data(contentsOf: file) == Self.content)
            #expect(server.requests.map { $0["Range"] } == [nil, nil])
            #expect(server.requests.map { $0["Accept-Encoding"] } == ["gzip, deflate", "gzip, deflate"])
        }
    }

    /// The user has requested codings, so the part of an opted-in download is not kept either.
    @Test(arguments: Wire.allCases) func keepsNoDecodedPart(wire: Wire) async throws {
        let coded = StoredGzip.coded(Self.served.content)
        let head = "200 OK\r\nETag: \"1\"\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)"
        let script: Script = [.expectHead, .sendBytes(Self.bytes(head, coded.prefix(40))), .close]
        try await wire.with(.script(script)) { server, session throws in
            let destination = DownloadDestination.file(file, options: .resumePartialFile)
            let request = session.download(server.url("/f"), fields: [.acceptEncoding: "gzip"], to: destination)
            let outcome = await request.serializingURL().response
            #expect(outcome.error?.code == .connectionClosed)
            #expect(request.resumeData == nil)
            #expect(server.requests.map { $0["Accept-Encoding"] } == ["gzip"])
            #expect(try folder.names == [])
        }
    }

    // MARK: Long files

    /// The part has no blocks on the disk. Its offset does not fit into 32 bits.
    @Test(arguments: Wire.allCases) func continuesBeyondFourGibibytes(wire: Wire) async throws {
        let offset: Int64 = 5_000_000_000
        let digits = Array("0123456789".utf8)
        let head = "\(Self.tagged)\r\nContent-Range: bytes \(offset)-\(offset + 9)/\(offset + 10)\r\nContent-Length: 10"
        let script: Script = [.expectHead, .sendBytes(Self.bytes(head, digits)), .silence]
        try await wire.with(.script(script)) { server, session in
            let part = try PartialFile(for: file, naming: .stable)
            let record = PartialFileRecord(
                url: server.url("/f"),
                validator: .entityTag("\"1\""),
                total: offset + 10
            )
            try await part.begin(record)
            await part.keep()
            try folder.truncate("file.part", to: UInt64(offset))
            let destination = DownloadDestination.file(file, options: .resumePartialFile)
            let request = session.download(server.url("/f"), to: destination)
            let progress = request.downloadProgress(bufferingPolicy: .unbounded)
            let outcome = await request.serializingURL().response
            var reported: [Int64] = []
            for await update in progress { reported.append(update.completed) }
            #expect(outcome.error == nil)
            #expect(server.requests.map { $0["Range"] } == ["bytes=5000000000-"])
            #expect(reported.last == offset + 10)
            #expect(reported.allSatisfy { $0 > offset })
            let handle = try FileHandle(forReadingFrom: file)
            #expect(try handle.seekToEnd() == UInt64(offset + 10))
            try handle.seek(toOffset: UInt64(offset) - 2)
            #expect(try handle.readToEnd() == Data([0, 0] + digits))
            try handle.close()
            #expect(try folder.names == ["file"])
        }
    }
}
