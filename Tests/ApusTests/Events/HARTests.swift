import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// An archive records exchanges as they happened on the connection.
@Suite(.timeLimit(.minutes(5))) struct HARTests {
    private func entries(
        _ wire: Wire,
        _ behavior: TestServer.Behavior = .endpoints,
        configure: (inout Session.Configuration) -> Void = { _ in },
        _ body: (TestServer, Session) async throws -> Void
    ) async throws -> [HTTPArchive.Entry] {
        let recorder = HARRecorder()
        try await wire.with(
            behavior,
            configure: {
                $0.recorder = recorder
                configure(&$0)
            },
            body
        )
        return recorder.archive.entries
    }

    @Test(arguments: Wire.allCases)
    func recordsTheTimesOfTheMetrics(wire: Wire) async throws {
        let metrics = LockedList<ExchangeMetrics>()
        let entries = try await entries(wire) { server, session in
            for path in ["/redirect/1", "/bytes/200000"] {
                for exchange in try await session.get(server.url(path)).metrics.exchanges { metrics.note(exchange) }
            }
        }
        #expect(entries.count == 3)
        for (entry, exchange) in zip(entries, metrics.all) {
            let timings = entry.timings
            #expect(entry.time == exchange.duration())
            #expect(timings.total == entry.time)
            #expect((timings.connect != nil) == !exchange.isReused)
            #expect((timings.ssl != nil) == (wire == .tls && !exchange.isReused))
            if let ssl = timings.ssl, let connect = timings.connect { #expect(ssl < connect) }
            #expect(entry.serverIPAddress == "127.0.0.1")
            #expect(entry.connection == exchange.connectionNumber.map { "\($0)" })
            #expect(entry.streamNumber == nil)
            #expect(entry.request.httpVersion == "HTTP/1.1" && entry.response.httpVersion == "HTTP/1.1")
            #expect(entry.request.headersSize == Int64(exchange.requestHeadBytes))
            #expect(entry.response.bodySize == exchange.responseBodyBytes)
            #expect(entry.comment == nil)
        }
        #expect(entries.map(\.cause) == ["first", "redirect", "first"])
        #expect(entries == entries.sorted { $0.startedDateTime < $1.startedDateTime })
        #expect(entries.last?.response.content.size == 200_000)
    }

    @Test(arguments: Wire.allCases)
    func recordsTheFieldsAsSent(wire: Wire) async throws {
        let heads = LockedList<String>()
        let entries = try await entries(wire) { server, session in
            _ = try await session.get(server.url("/get"))
            _ = try await session.post(server.url("/anything"), fields: [.expect: "100-continue"], body: .string("abc"))
            _ = try await session.post(server.url("/anything"), body: .none)
            for request in server.requests { heads.note(String(decoding: request.head, as: UTF8.self)) }
        }
        for (entry, head) in zip(entries, heads.all) {
            let lines = entry.request.headers.map { "\($0.name): \($0.value)\r\n" }
            #expect(head.hasSuffix("HTTP/1.1\r\n\(lines.joined())\r\n"), "\(head) \(lines)")
            #expect(entry.request.headersSize == Int64(head.utf8.count))
        }
        #expect(entries.count == 3)
    }

    @Test(arguments: ["/gzip", "/deflate"], [false, true])
    func recordsDecodedBodies(path: String, isStreamed: Bool) async throws {
        let entries = try await entries(.plain) { server, session in
            guard isStreamed else {
                _ = try await session.get(server.url(path))
                return
            }
            for try await _ in try await session.stream(server.url(path)).body {}
        }
        let response = try #require(entries.first?.response)
        let size = try #require(response.content.size)
        let bodySize = try #require(response.bodySize)
        #expect(response.content.text?.hasPrefix("{") == true)
        #expect(response.content.text?.utf8.count == Int(size))
        #expect(response.content.compression == size - bodySize)
        #expect(response.headers.contains { $0.name == "Content-Encoding" })
    }

    @Test func recordsCodedBodiesWithoutDecoding() async throws {
        let entries = try await entries(.plain, configure: { $0.contentDecoding = .off }) { server, session in
            _ = try await session.get(server.url("/gzip"), fields: [.acceptEncoding: "gzip"])
        }
        let response = try #require(entries.first?.response)
        #expect(response.content.text == nil && response.content.compression == nil)
        #expect(response.content.size == response.bodySize)
    }

    @Test func recordsATruncatedResponseAsAFailureWithAStatus() async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: text/plain\r\n\r\nhalf"), .close,
        ]
        let entries = try await entries(.plain, .script(script)) { server, session in
            _ = try? await session.get(server.url("/"))
        }
        let response = try #require(entries.first?.response)
        #expect(response.status == 200)
        #expect(response.error?.hasPrefix("connectionClosed") == true)
        #expect(response.content.text == "half")
    }

    @Test func recordsARefusedConnection() async throws {
        let server = try await TestServer.start()
        let url = server.url("/")
        await server.stop()
        let entries = try await entries(.plain) { _, session in _ = try? await session.get(url) }
        let entry = try #require(entries.first)
        #expect(entry.response.status == 0 && entry.response.error?.hasPrefix("connectFailed") == true)
        #expect(entry.response.httpVersion == "unknown" && entry.timings.connect != nil)
        #expect(entry.time == entry.timings.total)
    }

    @Test(arguments: Wire.allCases)
    func doesNotDelayRequests(wire: Wire) async throws {
        let entries = try await entries(wire) { server, session in
            let response = try await session.stream(server.url("/infinite"))
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                if count > 1 << 20 { break }
            }
            let upload = RequestBody.bytes(Data(count: 3 << 20))
            _ = try await session.post(server.url("/upload"), body: upload).validate()
            _ = try await session.get(server.url("/status/404"))
        }
        #expect(entries.count == 3)
        #expect(entries[0].response.content.comment != nil)
        #expect(entries[0].response.content.text?.utf8.count ?? 0 <= 64 << 10)
        #expect(entries[1].request.bodySize == 3 << 20)
    }

    @Test func recordsAChallengeAsAnExchange() async throws {
        let entries = try await entries(
            .plain,
            configure: { $0.credentials = CredentialSource { _ in .user("ada", password: "sesame") } }
        ) { server, session in
            _ = try await session.get(server.url("/basic-auth/ada/sesame")).validate()
        }
        #expect(entries.map(\.response.status) == [401, 200])
        #expect(entries.map(\.cause) == ["first", "challenge"])
    }
}

/// A thread-safe list.
private final class LockedList<Element: Sendable>: Sendable {
    private let stored = Lock<[Element]>([])

    var all: [Element] { stored.withLock { $0 } }

    func note(_ element: Element) { stored.withLock { $0.append(element) } }
}
