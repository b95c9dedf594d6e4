import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Bytes after a response that must have no body belong neither to that response nor to the next one.
@Suite struct ForbiddenContentTests {
    private static let real = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal"
    private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    struct TestCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        var status = 200
        /// The bytes of the response itself.
        let bytes: String
        /// The bytes sent after its end.
        let extra: String
        /// The expected body.
        var body = ""
    }

    /// Responses that never have a body, followed by further bytes.
    static let bodiless: [TestCase] =
        announcing("HEAD", .head, 200) + announcing("204", .get, 204) + announcing("304", .get, 304)

    private static func announcing(_ name: String, _ method: HTTPRequest.Method, _ status: Int) -> [TestCase] {
        [
            ("a length", "Content-Length: 5\r\n", "hello"),
            ("chunks", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
            ("a length, and forges a response", "Content-Length: \(forged.utf8.count)\r\n", forged),
            ("nothing, and forges a response", "", forged),
        ].map { announced, field, extra in
            TestCase(
                testDescription: "\(name) announces \(announced)",
                method: method,
                status: status,
                bytes: "HTTP/1.1 \(status) Odd\r\n\(field)\r\n",
                extra: extra
            )
        }
    }

    /// Complete responses followed by further bytes.
    static let ended: [TestCase] = [
        ("an empty line after a length", "Content-Length: 2\r\n\r\nhi", "\r\n", "hi"),
        ("a body after a length", "Content-Length: 2\r\n\r\nhi", "hello", "hi"),
        ("a response after a length of zero", "Content-Length: 0\r\n\r\n", forged, ""),
        ("a response after chunks", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", forged, "hi"),
        ("a chunk after chunks", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "2\r\nhi\r\n", "hi"),
        ("a response after trailers", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n", forged, "hi"),
    ].map { name, bytes, extra, body in
        TestCase(testDescription: name, bytes: "HTTP/1.1 200 OK\r\n\(bytes)", extra: extra, body: body)
    }

    /// A reused connection would receive the forged response.
    private static let goingOn = Step.loop([.expectHead, .send(forged)])

    private func expectOnlyTheBody(
        _ testCase: TestCase,
        _ form: Form,
        _ server: TestServer,
        _ session: Session
    ) async throws {
        let message = try RequestMessage(server.url("/"), method: testCase.method)
        let outcome = await form.outcome(of: message, on: session)
        #expect(try outcome.get() == Data(testCase.body.utf8))
    }

    private func expectRealResponse(_ form: Form, _ server: TestServer, _ session: Session) async throws {
        let next = await form.outcome(of: try RequestMessage(server.url("/next")), on: session)
        #expect(try next.get() == Data("real".utf8))
        #expect(server.acceptedConnections == 2)
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    // MARK: Bytes after the end

    private func sendInOneWrite(_ testCase: TestCase, _ wire: Wire, _ form: Form) async throws {
        let first: Script = [.expectHead, .send(testCase.bytes + testCase.extra), Self.goingOn]
        try await wire.with(.scripts([first, .responding(with: Self.real)])) { server, session in
            try await expectOnlyTheBody(testCase, form, server, session)
            try await expectRealResponse(form, server, session)
        }
    }

    private func sendInTwoWrites(_ testCase: TestCase, _ wire: Wire, _ form: Form) async throws {
        let isRead = Gate()
        let first: Script = [.expectHead, .send(testCase.bytes), .wait(isRead), .send(testCase.extra), Self.goingOn]
        try await wire.with(.scripts([first, .responding(with: Self.real)])) { server, session in
            try await expectOnlyTheBody(testCase, form, server, session)
            isRead.open()
            // The client closes the connection, either on these bytes or before.
            await server.waitForOpenConnections(0)
            try await expectRealResponse(form, server, session)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, bodiless)
    func discardsABodyInTheSameWrite(wire: Wire, testCase: TestCase) async throws {
        for form in Form.allCases { try await sendInOneWrite(testCase, wire, form) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, bodiless)
    func discardsABodyInALaterWrite(wire: Wire, testCase: TestCase) async throws {
        for form in Form.allCases { try await sendInTwoWrites(testCase, wire, form) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ended)
    func discardsBytesAfterTheEnd(wire: Wire, testCase: TestCase) async throws {
        try await sendInOneWrite(testCase, wire, .direct)
        try await sendInTwoWrites(testCase, wire, .direct)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, bodiless)
    func returnsTheHeadUnchanged(wire: Wire, testCase: TestCase) async throws {
        let script: Script = [.expectHead, .send(testCase.bytes + testCase.extra), Self.goingOn]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.send(try RequestMessage(server.url("/"), method: testCase.method))
            #expect(response.status.code == testCase.status)
            #expect(response.data.isEmpty)
            #expect(response.trailers == nil)
            let lines = response.fields.map { "\($0.name.rawName): \($0.value)\r\n" }
            #expect("HTTP/1.1 \(testCase.status) Odd\r\n\(lines.joined())\r\n" == testCase.bytes)
            let exchange = try #require(response.metrics.exchanges.first)
            #expect(exchange.responseHeadBytes == testCase.bytes.utf8.count)
            #expect(exchange.responseBodyBytes == 0)
        }
    }

    // MARK: Lengths

    @Test(
        .timeLimit(.minutes(5)),
        arguments: Wire.allCases,
        ["Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 05"]
    )
    func acceptsARepeatedContentLength(wire: Wire, lengths: String) async throws {
        let script = Script.responding(with: "HTTP/1.1 200 OK\r\n\(lengths)\r\n\r\nhello")
        try await wire.with(.script(script)) { server, session in
            for form in Form.allCases {
                let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
                #expect(try outcome.get() == Data("hello".utf8))
            }
            #expect(try await session.get(server.url("/")).fields[.contentLength] == "5")
            #expect(server.acceptedConnections == 1)
        }
    }

    private static let endless = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello"

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [Form.direct, .handle])
    func rejectsTheLongestBodyInMemory(wire: Wire, form: Form) async throws {
        let first: Script = [.expectHead, .send(Self.endless), .silence]
        try await wire.with(.scripts([first, .responding(with: Self.real)])) { server, session in
            let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
            #expect(outcome.code == .bodyTooLarge)
            #expect(outcome.error?.response?.status.code == 200)
            await server.waitForOpenConnections(0)
            try await expectRealResponse(form, server, session)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func streamsTheLongestBodyUntilItIsInterrupted(wire: Wire) async throws {
        let isRead = Gate()
        let first: Script = [.expectHead, .send(Self.endless), .wait(isRead), .close]
        try await wire.with(.scripts([first, .responding(with: Self.real)])) { server, session in
            let response = try await session.stream(server.url("/"))
            #expect(response.expectedLength == Int64.max)
            var reader = response.body.makeAsyncIterator()
            var data = Data()
            while data.count < 5, let chunk = try await reader.next() { data.append(chunk) }
            #expect(data == Data("hello".utf8))
            isRead.open()
            let error = await #expect(throws: ApusError.self) {
                while let chunk = try await reader.next() { data.append(chunk) }
            }
            #expect(error?.code == .connectionClosed)
            #expect(error?.phase == .receive)
            #expect(data.count == 5)
            try await expectRealResponse(.stream, server, session)
        }
    }
}
