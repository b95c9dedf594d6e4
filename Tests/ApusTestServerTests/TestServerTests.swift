internal import ApusTestServer
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct TestServerTests {
    @Test func respondsToPipelinedRequestsInOrder() async throws {
        let behavior = TestServer.Behavior.handler { request in
            .text("\(request.method) \(request.path) \(request.bodyByteCount)|")
        }
        try await TestServer.with(behavior: behavior) { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.write(
                    "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                        + "POST /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nhello\r\n0\r\n\r\n"
                )
                return try await client.readTextToEnd()
            }
            let bodies = text.split(separator: "|").map { $0.split(separator: "\r\n").last }
            #expect(bodies == ["GET /1 0", "POST /2 3", "POST /3 5"])
            #expect(server.requestCount == 3)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\n\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
    ])
    func rejectsMalformedRequest(bytes: String) async throws {
        try await TestServer.with { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.write(bytes)
                return try await client.readTextToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            await server.waitForOpenConnections(0)
        }
    }

    @Test func respondsToHEADWithoutABody() async throws {
        try await TestServer.with { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.write("HEAD /bytes/10 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return try await client.readTextToEnd()
            }
            #expect(
                text == "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 10\r\n"
                    + "Connection: close\r\n\r\n"
            )
        }
    }

    @Test func sendsRangeOfPattern() async throws {
        try await TestServer.with { server in
            let bytes = try await RawClient.with(port: server.port) { client in
                try await client.write(
                    "GET /download/5000000000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Range: bytes=4999000000-\r\n\r\n"
                )
                return try await client.readToEnd()
            }
            #expect(bytes.suffix(1_000_000) == TestServer.pattern(offset: 4_999_000_000, count: 1_000_000)[...])
            #expect(String(decoding: bytes.prefix(28), as: UTF8.self) == "HTTP/1.1 206 Partial Content")
        }
    }

    @Test func continuesBeforeBody() async throws {
        try await TestServer.with { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.write(
                    "POST /expect-continue HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
                )
                let interim = try await client.readText(25)
                try await client.write("abc")
                let length = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n".utf8
                    .count
                return interim + (try await client.readText(length + 11))
            }
            #expect(text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
            #expect(text.hasSuffix("{\"bytes\":3}"))
        }
    }

    @Test func sendsTrailersAndInterimResponses() async throws {
        let behavior = TestServer.Behavior.handler { _ in
            var response = TestResponse(status: 299, reason: "Odd", body: .chunks([[0x61], [0x62, 0x63]]))
            response.informational = [(103, [("Link", "<a>")])]
            response.trailers = [("X-T", "v")]
            response.closes = true
            return response
        }
        try await TestServer.with(behavior: behavior) { server in
            let text = try await RawClient.with(port: server.port) { client in
                try await client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                return try await client.readTextToEnd()
            }
            #expect(
                text == "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
                    + "HTTP/1.1 299 Odd\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nX-T: v\r\n\r\n"
            )
        }
    }

    @Test func recordsARequestWithATruncatedBody() async throws {
        try await TestServer.with { server in
            try await RawClient.with(port: server.port) { client in
                try await client.write("POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nabc")
            }
            await server.waitForRequests(atLeast: 1)
            #expect(server.requests.map(\.isComplete) == [false])
            #expect(server.requests.map(\.bodyText) == ["abc"])
        }
    }

    @Test func cancelsHandlerWhenConnectionCloses() async throws {
        let arrived = Gate()
        let isCancelled = Gate()
        let behavior = TestServer.Behavior.handler { _ in
            arrived.open()
            await Gate().wait()
            isCancelled.open()
            return TestResponse()
        }
        try await TestServer.with(behavior: behavior) { server in
            try await RawClient.with(port: server.port) { client in
                try await client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                await arrived.wait()
            }
            await isCancelled.wait()
            await server.waitForOpenConnections(0)
        }
    }

    @Test func freesPortWhenStopped() async throws {
        let first = try await TestServer.start()
        let port = first.port
        try await RawClient.with(port: port) { client in
            await first.waitForOpenConnections(1)
            await first.stop()
            _ = try? await client.readToEnd()
        }
        #expect(first.openConnections == 0)
        await first.stop()
        await first.waitForRequests(atLeast: 1)
        let second = try await TestServer.start(port: port)
        #expect(second.port == port)
        await second.stop()
    }

    @Test func waitEndsWithItsTask() async throws {
        try await TestServer.with { server in
            let waiting = Task { await server.waitForRequests(atLeast: 1) }
            waiting.cancel()
            await waiting.value
            let gate = Gate()
            let waitingAtGate = Task { await gate.wait() }
            waitingAtGate.cancel()
            await waitingAtGate.value
            #expect(!gate.isOpen)
        }
    }

    @Test func providesAFileOfItsAuthority() async throws {
        let path = try await TestTLS.withAuthorityFile { path throws in
            #expect(try String(contentsOfFile: path, encoding: .utf8) == TestTLS.authorityPEM)
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
