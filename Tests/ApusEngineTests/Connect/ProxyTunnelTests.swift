internal import HTTPTypes
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct ProxyTunnelTests {
    /// The last step, and the bytes that are left over.
    private struct Outcome {
        var step: ProxyTunnel.Step = .wait
        var rest = ""
    }

    /// Passes a response to a tunnel in pieces, until it needs no more.
    private func outcome(of response: String, piece: Int = .max) throws -> Outcome {
        var tunnel = ProxyTunnel()
        tunnel.begin()
        var buffer = ByteBuffer()
        var bytes = Array(response.utf8)[...]
        repeat {
            buffer.writeBytes(bytes.prefix(piece))
            bytes = bytes.dropFirst(piece)
            let step = try tunnel.receive(&buffer)
            guard case .wait = step else { return Outcome(step: step, rest: String(buffer: buffer) + text(bytes)) }
        } while !bytes.isEmpty
        return Outcome(step: tunnel.end() ?? .wait, rest: String(buffer: buffer))
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static let opening = [
        "HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 299 \r\nA: b\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        // RFC 9110 §9.3.6: a client ignores these fields of a 2xx response to CONNECT.
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ]

    @Test(arguments: opening, [1, 7, Int.max])
    func opens(response: String, piece: Int) throws {
        let outcome = try outcome(of: response + "glued", piece: piece)
        guard case .open = outcome.step else {
            Issue.record("it is not open")
            return
        }
        #expect(outcome.rest == "glued")
    }

    @Test(arguments: [1, 7, Int.max])
    func readsTheBodyOfARefusal(piece: Int) throws {
        let outcome = try outcome(of: "HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope", piece: piece)
        guard case .refused(let refusal) = outcome.step else {
            Issue.record("it is not refused")
            return
        }
        #expect(refusal.status.code == 403)
        #expect(refusal.status.reasonPhrase == "Forbidden")
        #expect(refusal.content == Array("nope".utf8))
    }

    @Test func keepsALimitedPartOfABody() throws {
        let body = String(repeating: "x", count: 5_000)
        let outcome = try outcome(of: "HTTP/1.1 502 Bad\r\n\r\n\(body)", piece: 100)
        guard case .refused(let refusal) = outcome.step else {
            Issue.record("it is not refused")
            return
        }
        #expect(refusal.content.count == 1024)
    }

    static let challenges: [(response: String, isReusable: Bool)] = [
        ("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno", true),
        ("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", true),
        ("HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", true),
        ("HTTP/1.1 407 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno", false),
        ("HTTP/1.0 407 No\r\nContent-Length: 2\r\n\r\nno", false),
        ("HTTP/1.1 407 No\r\n\r\nno", false),
        ("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nnoHTTP/1.1", false),
        ("HTTP/1.1 407 No\r\nContent-Length: 9\r\n\r\nno", false),
        ("HTTP/1.1 407 No\r\nContent-Length: 999999\r\n\r\n" + String(repeating: "x", count: 70_000), false),
    ]

    @Test(arguments: challenges)
    func keepsTheConnectionOfAChallenge(response: String, isReusable: Bool) throws {
        guard case .challenged(let refusal, let keepsConnection) = try outcome(of: response).step else {
            Issue.record("it is not challenged")
            return
        }
        #expect(refusal.status.code == 407)
        #expect(keepsConnection == isReusable)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.6\r\n", "\u{5}\u{0}more than enough for a line\r\n", "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
        "HTTP/1.1 403 No\r\nContent-Length: x\r\n\r\n",
    ])
    func rejectsOtherProtocols(response: String) {
        #expect(throws: HTTP1ParseError.self) { _ = try outcome(of: response) }
    }

    @Test func limitsTheHead() {
        let field = "A: \(String(repeating: "x", count: 8_000))\r\n"
        let response = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 9) + "\r\n"
        #expect(throws: HTTP1ParseError.headTooLarge(limit: 65_536)) { _ = try outcome(of: response, piece: 1000) }
    }

    @Test func limitsInformationalResponses() {
        let response = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 17)
        #expect(throws: HTTP1ParseError.tooManyInformational(limit: 16)) { _ = try outcome(of: response) }
    }

    @Test func hasNoVerdictWithoutAHead() throws {
        var tunnel = ProxyTunnel()
        tunnel.begin()
        var buffer = ByteBuffer(string: "HTTP/1.1 403 Forb")
        _ = try tunnel.receive(&buffer)
        #expect(tunnel.refusal == nil)
        #expect(tunnel.end() == nil)
    }
}

extension ProxyTunnelTests {
    /// After a challenge the same tunnel reads the response to the next request.
    @Test func beginsAgain() throws {
        var tunnel = ProxyTunnel()
        tunnel.begin()
        var buffer = ByteBuffer(string: "HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno")
        _ = try tunnel.receive(&buffer)
        #expect(tunnel.refusal != nil)
        tunnel.begin()
        #expect(tunnel.refusal == nil)
        buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\nrest")
        guard case .open = try tunnel.receive(&buffer) else {
            Issue.record("it is not open")
            return
        }
        #expect(String(buffer: buffer) == "rest")
    }
}
