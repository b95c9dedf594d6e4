internal import Apus
internal import ApusTestServer
internal import Foundation

/// Stops about the exchanges between a request and its final response.
enum Exchanges {
    static func redirects(_ environment: TourEnvironment) async throws -> Finding {
        let response = try await environment.session.get(environment.server.url("/redirect/3")).validate()
        try expect(response.metrics.redirectCount, is: 3, "the redirects")
        try expect(response.target.path, is: "/get", "the last target")
        let statuses = response.metrics.exchanges.compactMap { $0.status.map { String($0.code) } }
        return Finding(statuses.joined(separator: " → "), response.metrics.exchanges)
    }

    /// Credentials are sent only to the origin that they were given for.
    static func credentials(_ environment: TourEnvironment) async throws -> Finding {
        let fields: RequestFields = [.authorization: "Bearer of-the-first-origin"]
        let near = try await environment.session.get(environment.otherServer.url("/who"), fields: fields).validate()
        try expect(try near.string(), is: "Bearer of-the-first-origin", "the credentials without a redirect")
        let elsewhere = environment.otherServer.url("/who")
        let far = try await environment.session.get(
            environment.server.url("/redirect-to"),
            query: [URLQueryItem(name: "url", value: elsewhere)],
            fields: fields
        ).validate()
        try expect(try far.string(), is: "a stranger", "the credentials after the redirect")
        let wasAuthorized = environment.server.requests.contains {
            $0.path == "/redirect-to" && $0["Authorization"] != nil
        }
        try expect(wasAuthorized, "Authorization for the first origin", found: "none")
        return Finding("without credentials: \(try far.string())", near.metrics.exchanges, far.metrics.exchanges)
    }

    static func hintsAndTrailers(_ environment: TourEnvironment) async throws -> Finding {
        let hinted = try await environment.session.get(environment.server.url("/early-hints")).validate()
        let informational = hinted.metrics.exchanges.flatMap(\.informational)
        let hint = informational.first { $0.status.code == 103 }
        let link = HTTPField.Name("Link").flatMap { hint?.headerFields[$0] }
        try expect(link?.hasPrefix("</style.css>") == true, "a hint about the style", found: informational)
        let trailed = try await environment.session.get(environment.server.url("/trailers")).validate()
        let checksum = HTTPField.Name("X-Checksum").flatMap { trailed.trailers?[$0] }
        try expect(checksum, is: String(trailed.data.count), "the trailer field")
        return Finding("a hint before, a checksum after", hinted.metrics.exchanges, trailed.metrics.exchanges)
    }

    /// One server accepts the body, another rejects it before a byte of it is sent.
    static func expectContinue(_ environment: TourEnvironment) async throws -> Finding {
        let body = RequestBody.bytes(Data(repeating: 0x61, count: 1 << 20))
        let fields: RequestFields = [.expect: "100-continue"]
        let wanted = try await environment.session.post(
            environment.server.url("/expect-continue"),
            fields: fields,
            body: body
        )
        .validate()
        try expect(wanted.metrics.exchanges.last?.requestBodyBytes, is: 1 << 20, "the bytes sent")
        let refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"
        let refusing: Script = [.expectHead, .send(refusal), .silence]
        let refused = try await TestServer.with(behavior: .script(refusing)) { server in
            try await environment.session.post(server.url("/"), fields: fields, body: body)
        }
        try expect(refused.status.code, is: 413, "the status")
        try expect(refused.metrics.exchanges.last?.requestBodyBytes, is: 0, "the bytes sent before the 413")
        return Finding("1 MiB after the 100; none after a 413", wanted.metrics.exchanges, refused.metrics.exchanges)
    }

    /// The server closes the connection when the second request arrives. No byte of a response came, so it is resent.
    static func resend(_ environment: TourEnvironment) async throws -> Finding {
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        let scripts: [Script] = [
            [.expectHead, .send(response + "1."), .expectHead, .close],
            [.expectHead, .send(response + "2."), .silence],
        ]
        return try await TestServer.with(behavior: .scripts(scripts)) { server in
            let first = try await environment.session.get(server.url("/first")).validate()
            let second = try await environment.session.get(server.url("/second")).validate()
            try expect(try first.string() + second.string(), is: "1.2.", "the responses")
            try expect(second.metrics.exchanges.map(\.resendCount).reduce(0, +), is: 1, "the number of resends")
            return Finding("resent over another connection", first.metrics.exchanges, second.metrics.exchanges)
        }
    }
}
