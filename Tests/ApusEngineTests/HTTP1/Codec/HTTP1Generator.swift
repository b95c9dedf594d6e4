internal import ApusTestServer
internal import HTTPTypes

/// Generates valid and invalid HTTP/1.1 responses, the same for the same seed.
struct HTTP1Generator: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func method() -> HTTPRequest.Method {
        pick([.get, .get, .get, .get, .post, .head, .connect])
    }

    /// Returns a response, in three of five cases damaged at one or two places.
    mutating func response() -> [UInt8] {
        var bytes: [UInt8] = []
        while chance(10) { bytes += Array("HTTP/1.1 \(pick([100, 102, 103])) Early\r\n\(field())\r\n\r\n".utf8) }
        bytes += Array(message().utf8)
        if chance(5) { bytes += Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8) }
        if chance(60) {
            for _ in 0..<Int.random(in: 1...2, using: &self) { damage(&bytes) }
        }
        return bytes
    }

    private mutating func message() -> String {
        var head = chance(92) ? pick(Self.commonStatusLines) : pick(Self.oddStatusLines)
        head += "\r\n"
        let body = String(repeating: pick(["x", "body ", "\r\n", "0\r\n"]), count: Int.random(in: 0...9, using: &self))
        var lines = (0..<Int.random(in: 0...4, using: &self)).map { _ in field() }
        var content = body
        switch Int.random(in: 0..<10, using: &self) {
        case 0...3: lines.append("Content-Length: \(body.utf8.count)")
        case 4...6:
            lines.append("Transfer-Encoding: chunked")
            content = chunks(body)
        case 7:
            lines.append(pick(Self.framingFields))
            if chance(50) { content = chunks(body) }
        case 8:
            lines.append("Content-Length: \(body.utf8.count)")
            lines.append(pick(Self.framingFields))
        default: break
        }
        lines.shuffle(using: &self)
        head += lines.map { $0 + "\r\n" }.joined()
        return head + "\r\n" + content
    }

    private mutating func field() -> String {
        chance(95) ? pick(Self.commonFields) : pick(Self.oddFields)
    }

    private mutating func chunks(_ body: String) -> String {
        var rest = Array(body.utf8)[...]
        var text = ""
        while let count = (1...max(1, rest.count)).randomElement(using: &self), !rest.isEmpty {
            let size = pick([String(count, radix: 16), String(count, radix: 16, uppercase: true), "0\(count % 10)"])
            text += size + pick(Self.extensions) + "\r\n" + String(decoding: rest.prefix(count), as: UTF8.self) + "\r\n"
            rest = rest.dropFirst(count)
        }
        text += pick(["0", "0", "0", "000"]) + pick(Self.extensions) + "\r\n"
        while chance(25) { text += field() + "\r\n" }
        return text + "\r\n"
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        // Most decisions depend on bytes near the start.
        let bound = chance(70) ? min(bytes.count, 120) : bytes.count
        let index = Int.random(in: 0..<bound, using: &self)
        switch Int.random(in: 0..<8, using: &self) {
        case 0, 1: bytes[index] = pick(Self.interesting)
        case 2, 3: bytes.insert(pick(Self.interesting), at: index)
        case 4: bytes.remove(at: index)
        case 5:
            let slice = bytes[index..<min(bytes.count, index + Int.random(in: 1...24, using: &self))]
            bytes.insert(contentsOf: slice, at: index)
        case 6:
            let returns = bytes.indices.filter { bytes[$0] == 0x0D }
            if let place = returns.randomElement(using: &self) { bytes.remove(at: place) }
        default:
            if chance(30) { bytes.removeSubrange(index...) } else { bytes[index] ^= 1 << pick([0, 5, 7]) }
        }
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}

extension HTTP1Generator {
    private static let commonStatusLines = [
        "HTTP/1.1 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 404 Not Found", "HTTP/1.1 204 No Content", "HTTP/1.1 500 ",
        "HTTP/1.1 304 Not Modified", "HTTP/1.0 200 OK", "HTTP/1.1 302 Found", "HTTP/1.1 205 Reset Content",
    ]
    private static let oddStatusLines = [
        "HTTP/1.1 200", "HTTP/1.2 200 OK", "HTTP/2.0 200 OK", "HTTP/0.9 200 OK", "HTTP/1.1 99 Low", "HTTP/1.1 099 Low",
        "HTTP/1.1 999 High", "HTTP/1.1 1000 High", "HTTP/1.1  200 OK", "HTTP/1.1 200  OK", "HTTP/1.1 200\tOK",
        "HTTP/1.1 200 t\u{E4}b\tin", "http/1.1 200 OK", "HTTP/1.1 101 Switching Protocols", "HTTP/1.1", "ICY 200 OK",
        "\r\nHTTP/1.1 200 OK", "HTTP/1.10 200 OK", "HTTP/1.1 200 O\rK", "HTTP/11 200 OK",
    ]
    private static let commonFields = [
        "Server: nginx", "Date: Sat, 21 Nov 2026 05:29:39 GMT", "Content-Type: text/plain; charset=utf-8",
        "ETag: \"abc\"", "Connection: keep-alive", "Connection: close", "X-A: b", "x-lower:v", "Vary: *", "A:",
        "Set-Cookie: a=b; Path=/", "Trailer: Digest", "X-Blank:   in  the middle\t ", "Upgrade: websocket",
    ]
    private static let oddFields = [
        "A : b", ": b", "A", " fold", "\tfold", "A B: c", "A\tB: c", "A: \u{0}", "A: \u{1}", "A: \u{7F}", "A: \u{E4}",
        "\u{E4}: b", "A:: b", "A(: b", "A: b\rc", "A: b\nC: d", "\"A\": b", "A;: b", "Connection: , ,close,",
        "A: b\r\n c", "A:\r\n\tb", "A: b\r\n ", "Connection: Upgrade", "Host: a", "Content-Encoding: gzip", "A: \u{1}b",
        "A: \u{B}b",
    ]
    private static let framingFields = [
        "Content-Length: 5", "Content-Length: 5, 5", "Content-Length: 5,6", "Content-Length: -5", "Content-Length: +5",
        "Content-Length: 5 5", "Content-Length:", "Content-Length: 0x5", "Content-Length: 99999999999999999999",
        "Content-Length: 18446744073709551615", "Content-Length: 9223372036854775808", "Content-Length: 05",
        "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, gzip",
        "Transfer-Encoding: CHUNKED", "Transfer-Encoding: chunked ", "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunkedx", "Transfer-Encoding: identity", "Transfer-Encoding:",
        "Transfer-Encoding: ,chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: Identity\r\nContent-Length: 5", "Transfer-Encoding: identity, chunked",
        "Content-Length: 5\r\n ", "Content-Length:\r\n 5", "Transfer-Encoding:\r\n chunked",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "Transfer-Encoding: \"chunked\"",
    ]
    private static let extensions = [
        "", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ";a", ";a=b", ";a=\"b c\"", " ;a", ";", " ", "\t",
        ";a=\"b\\\"\"", ";\u{E4}", ";a\tb", ";a = b",
        ";a=\"\u{E4}\"", ";a;b", ";a=b;c=d", ";a=", ";=b", ";a;", "; a",
    ]
    private static let interesting: [UInt8] = [
        0x0D, 0x0A, 0x20, 0x09, 0x00, 0x01, 0x0B, 0x1F, 0x7F, 0x80, 0xFF, 0x3A, 0x2C, 0x3B, 0x22, 0x2B, 0x2D, 0x30,
        0x31, 0x35, 0x39, 0x41, 0x46, 0x47, 0x61, 0x66, 0x67, 0x78, 0x2F, 0x2E, 0x48,
    ]
}
