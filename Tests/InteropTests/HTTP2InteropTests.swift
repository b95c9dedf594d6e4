internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// Many requests at once over HTTP/2. The tests run one after the other, since some of them reload a server.
@Suite(
    .serialized,
    .enabled(if: !Servers.http2Peers.isEmpty, "Scripts/interop starts the servers"),
    .timeLimit(.minutes(2))
)
struct HTTP2InteropTests {
    /// The second number is more than any of the servers allows on one connection before its SETTINGS are known.
    @Test(arguments: Servers.http2Peers, [100, 250])
    func servesManyRequestsAtOnce(peer: InteropPeer, count: Int) async throws {
        let session = Session(configuration: peer.configuration())
        let connections = try await connectionNumbers(of: count) { _ in
            let response = try await session.get("\(peer.url)/small.txt")
            #expect(response.data.count == 35)
            return response
        }
        let limit = count <= peer.streamCount ? 1 : session.configuration.pool.connectionsPerOrigin
        #expect((1...limit).contains(connections.count))
        try await assertNothingLeft(session)
    }

    @Test(arguments: Servers.http2Peers)
    func receivesManyBodiesAtOnce(peer: InteropPeer) async throws {
        let session = Session(configuration: peer.configuration())
        let text = Data((0..<20_000).map { "line \($0)\n" }.joined().utf8)
        _ = try await connectionNumbers(of: 100) { _ in
            let response = try await session.get("\(peer.url)/text.txt")
            #expect(response.data == text)
            return response
        }
        try await assertNothingLeft(session)
    }

    @Test(arguments: Servers.http2Peers)
    func sendsManyBodiesAtOnce(peer: InteropPeer) async throws {
        let session = Session(configuration: peer.configuration())
        let byteCount = 256 << 10
        _ = try await connectionNumbers(of: 50) { number in
            let content = Data(repeating: UInt8(number), count: byteCount)
            let response = try await session.post("\(peer.url)/origin/up", body: .bytes(content))
            if peer.echoes {
                #expect(response.data == content)
            } else {
                #expect(try response.string().hasSuffix(" \(byteCount)\n"))
            }
            return response
        }
        try await assertNothingLeft(session)
    }

    @Test(arguments: Servers.http2Peers.filter { $0.trailers != nil })
    func readsTrailers(peer: InteropPeer) async throws {
        let session = Session(configuration: peer.configuration())
        let path = try #require(peer.trailers)
        let name = try #require(HTTPField.Name("x-swift"))
        // hypercorn sends trailers only to clients that announce their support.
        let response = try await session.get("\(peer.url)\(path)", fields: ["TE": "trailers"]).validate()
        #expect(response.data.count == 35)
        #expect(response.trailers?[name] == "apus")
        try await assertNothingLeft(session)
    }

    /// net/http drops trailers over HTTP/2 unless they were announced.
    @Test(arguments: Servers.http2Peers.filter { $0.sentTrailers != nil }, [false, true])
    func sendsTrailers(peer: InteropPeer, usesHTTP1: Bool) async throws {
        var configuration = peer.configuration()
        if usesHTTP1 { configuration.protocols = .http1 }
        let session = Session(configuration: configuration)
        let path = try #require(peer.sentTrailers)
        let url = "\(peer.url)\(path)"
        let chunks = AsyncStream<BodyChunk> { stream in
            for _ in 0..<100 { stream.yield(BodyChunk("a swift")) }
            stream.finish()
        }
        let bodies: [(RequestBody, Int)] = [(.none, 0), (.string("a swift"), 7), (.once(chunks), 700)]
        for (body, byteCount) in bodies {
            let response = try await session.post(url, body: body.withTrailers(["X-Swift": "apus"])).validate()
            #expect(try response.string() == "\(byteCount) apus\n")
            #expect(response.metrics.exchanges.map(\.networkProtocol) == [usesHTTP1 ? "http/1.1" : "h2"])
        }
        let late = RequestBody.string("a swift").withTrailers { ["X-Swift": "later"] }
        let response = try await session.post(url, fields: [.trailer: "X-Swift"], body: late).validate()
        #expect(try response.string() == "7 later\n")
        try await assertNothingLeft(session)
    }

    /// 2,000 requests, at most 50 at once, while the server is reloaded three times.
    @Test(arguments: Servers.http2Peers.filter { $0.reload != nil })
    func losesNoRequestWhileTheServerReloads(peer: InteropPeer) async throws {
        var configuration = peer.configuration()
        configuration.requestsInFlight = 50
        let session = Session(configuration: configuration)
        let control = Session()
        let name = try #require(peer.reload)
        let send: @Sendable (Int) async throws -> Response = { number in
            let url = "\(peer.url)/origin/pause"
            // A POST is sent again only if the server has excluded it.
            let isPost = peer.isCareful && number % 2 == 1
            let response = try await isPost ? session.post(url, body: .string("swift")) : session.get(url)
            #expect(response.data == Data((isPost ? "POST\n" : "GET\n").utf8))
            return response
        }
        var connections = try await connectionNumbers(of: 2000, send) { count in
            guard count < 2000, count.isMultiple(of: 500) else { return }
            try await control.post("\(Servers.control)/\(name)").validate()
        }
        // A reload may take longer than the requests.
        for number in 0..<500 where connections.count == 1 {
            let response = try await send(number).validate()
            connections.formUnion(response.metrics.exchanges.compactMap(\.connectionNumber))
        }
        #expect(connections.count > 1)
        try await assertNothingLeft(control)
        try await assertNothingLeft(session)
    }

    /// Sends `count` requests at once, which must succeed over HTTP/2, and returns the numbers of their connections.
    /// Calls `progress` after each response with the number of responses.
    private func connectionNumbers(
        of count: Int,
        _ send: @escaping @Sendable (Int) async throws -> Response,
        progress: (Int) async throws -> Void = { _ in }
    ) async throws -> Set<Int> {
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for number in 0..<count {
                group.addTask {
                    let exchanges = try await send(number).validate().metrics.exchanges
                    #expect(exchanges.allSatisfy { $0.networkProtocol == "h2" })
                    return exchanges.compactMap(\.connectionNumber)
                }
            }
            var numbers: Set<Int> = []
            var received = 0
            for try await used in group {
                numbers.formUnion(used)
                received += 1
                try await progress(received)
            }
            return numbers
        }
    }
}
