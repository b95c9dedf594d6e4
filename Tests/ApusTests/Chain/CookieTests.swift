import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Cookies sent and received over a connection, one field line each.
@Suite struct CookieTests {
    private static func isCookie(_ line: Substring) -> Bool { line.lowercased().hasPrefix("cookie:") }

    /// Parity: AF-cookies-lines
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func areSentAndReceivedInSeparateFields(wire: Wire) async throws {
        let script: Script = [
            .expectHead,
            .send(
                "HTTP/1.1 103 Early Hints\r\nSet-Cookie: early=1\r\n\r\n"
                    + "HTTP/1.1 302 Found\r\nLocation: /there\r\nSet-Cookie: a=1, b\r\nset-cookie:c=3;Secure\r\n"
                    + "Set-Cookie: d=4; Path=/elsewhere\r\nContent-Length: 0\r\n\r\n"
            ),
            .expectHead, .send("HTTP/1.1 200 OK\r\nSet-Cookie: a=; Max-Age=0\r\nContent-Length: 0\r\n\r\n"),
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ]
        try await wire.with(.script(script)) { server, session in
            _ = try await session.get(server.url("/"))
            _ = try await session.get(server.url("/"), fields: [.cookie: "own=0"])
            let lines = server.requests.map { request in
                String(decoding: request.head, as: UTF8.self).split(separator: "\r\n").filter(Self.isCookie)
            }
            // Loopback hosts receive secure cookies without TLS.
            #expect(lines == [[], ["Cookie: a=1, b; c=3"], ["Cookie: own=0; c=3"]])
            #expect(session.cookies?.cookies.map(\.name) == ["c", "d"])
        }
    }
}
