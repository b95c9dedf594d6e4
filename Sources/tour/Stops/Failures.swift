internal import Apus
internal import ApusTestServer

/// Stops about errors that the library reports.
enum Failures {
    static func ownAuthority(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.get(environment.secureServer.url("/get")).validate()
        guard let exchange = response.metrics.exchanges.last, let version = exchange.tlsVersion else {
            throw Unexpected(expected: "a TLS version", found: "none")
        }
        return Finding("\(response.status.code) over \(version)", response.metrics.exchanges)
    }

    /// Tests a certificate of an unknown authority, and one for another host.
    static func untrusted(_ environment: TourEnvironment) async throws -> Finding {
        let stranger = Session()
        let unknown = try await failure(.certificateRejected) {
            try await stranger.get(environment.secureServer.url("/get"))
        }
        await stranger.shutdown()
        let wrong = try await TestServer.with(tls: .wrongHost) { server in
            try await failure(.certificateRejected) { try await environment.session.get(server.url("/get")) }
        }
        return Finding("no request was sent", quotes: ["\(unknown)", "\(wrong)"], unknown.exchanges, wrong.exchanges)
    }

    /// The server sends a byte every 5 ms, so the connection is never idle for long and the body never ends.
    static func deadline(_ environment: TourEnvironment) async throws -> Finding {
        let begin = MonotonicInstant.now
        let error = try await failure(.deadlineExceeded) {
            let url = environment.server.url("/drip/100000/0.005")
            let request = environment.session.request(url, options: [RequestDeadline(.milliseconds(40))])
            return try await request.serializingData().value
        }
        let elapsed = begin.duration(to: .now)
        try expect(elapsed < .seconds(1), "an end after 40 ms", found: elapsed)
        return Finding("ended after its 40 ms", error.exchanges)
    }

    static func noServer(_ environment: TourEnvironment) async throws -> Finding {
        let server = try await TestServer.start()
        await server.stop()
        let refused = try await failure(.connectFailed) { try await environment.session.get(server.url("/")) }
        // A name with an empty label is invalid, so the resolver fails without a query.
        let nameless = try await failure(.hostNotFound) { try await environment.session.get("http://nowhere..at.all/") }
        return Finding(
            "two clear errors",
            quotes: ["\(refused)", "\(nameless)"],
            refused.exchanges,
            nameless.exchanges
        )
    }

    /// Cancels the task after the server has received the request, and checks that the connection closes.
    static func cancelling(_ environment: TourEnvironment) async throws -> Finding {
        let script: Script = [.expectHead, .silence]
        return try await TestServer.with(behavior: .script(script)) { server in
            let task = Task { try await environment.session.get(server.url("/")) }
            await server.waitForRequests(atLeast: 1)
            task.cancel()
            let error = try await failure(.cancelled) { try await task.value }
            await server.waitForOpenConnections(0)
            return Finding("\(error.code), and the connection closed", error.exchanges)
        }
    }
}
