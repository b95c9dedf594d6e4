import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Bytes where no content may be belong to nobody: neither to the answer before them nor to the next one.
@Suite struct ForbiddenContentTests {
    private static let real = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal"
    private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        var status = 200
        /// The answer as far as it is one.
        let answer: String
        /// What comes behind its end.
        let rest: String
        /// The content that the answer has.
        var content = ""
    }

    /// Answers that have no content by their nature, with one behind them.
    static let bodiless: [Answer] =
        announcing("HEAD", .head, 200) + announcing("204", .get, 204) + announcing("304", .get, 304)

    private static func announcing(_ name: String, _ method: HTTPRequest.Method, _ status: Int) -> [Answer] {
        [
            ("a length", "Content-Length: 5\r\n", "hello"),
            ("chunks", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
            ("a length, and forges an answer", "Content-Length: \(forged.utf8.count)\r\n", forged),
            ("nothing, and forges an answer", "", forged),
        ].map { announced, field, rest in
            Answer(
                testDescription: "\(name) announces \(announced)",
                method: method,
                status: status,
                answer: "HTTP/1.1 \(status) Odd\r\n\(field)\r\n",
                rest: rest
            )
        }
    }

    /// Answers that have come to their end, with something behind it.
    static let ended: [Answer] = [
        ("an empty line behind a length", "Content-Length: 2\r\n\r\nhi", "\r\n", "hi"),
        ("content behind a length", "Content-Length: 2\r\n\r\nhi", "hello", "hi"),
        ("an answer behind a length of zero", "Content-Length: 0\r\n\r\n", forged, ""),
        ("an answer behind chunks", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", forged, "hi"),
        ("a chunk behind chunks", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "2\r\nhi\r\n", "hi"),
        ("an answer behind trailers", "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n", forged, "hi"),
    ].map { name, answer, rest, content in
        Answer(testDescription: name, answer: "HTTP/1.1 200 OK\r\n\(answer)", rest: rest, content: content)
    }

    /// Were the connection used again, it would go on answering with what is forged.
    private static let goingOn = Step.loop([.expectHead, .send(forged)])

    private func expectNothingBehind(
        _ answer: Answer,
        _ form: Form,
        _ server: TestServer,
        _ session: Session
    ) async throws {
        let message = try RequestMessage(server.url("/"), method: answer.method)
        let outcome = await form.outcome(of: message, on: session)
        #expect(try outcome.get() == Data(answer.content.utf8))
    }

    private func expectRealAnswer(_ form: Form, _ server: TestServer, _ session: Session) async throws {
        let next = await form.outcome(of: try RequestMessage(server.url("/next")), on: session)
        #expect(try next.get() == Data("real".utf8))
        #expect(server.acceptedConnections == 2)
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    // MARK: Behind the end

    private func sendInOneWrite(_ answer: Answer, _ wire: Wire, _ form: Form) async throws {
        let first: Script = [.expectHead, .send(answer.answer + answer.rest), Self.goingOn]
        try await wire.with(.scripts([first, .answering(Self.real)])) { server, session in
            try await expectNothingBehind(answer, form, server, session)
            try await expectRealAnswer(form, server, session)
        }
    }

    private func sendInTwoWrites(_ answer: Answer, _ wire: Wire, _ form: Form) async throws {
        let isRead = Gate()
        let first: Script = [.expectHead, .send(answer.answer), .wait(isRead), .send(answer.rest), Self.goingOn]
        try await wire.with(.scripts([first, .answering(Self.real)])) { server, session in
            try await expectNothingBehind(answer, form, server, session)
            isRead.open()
            // The connection is given up because of what came, or was before.
            await server.waitForOpenConnections(0)
            try await expectRealAnswer(form, server, session)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, bodiless)
    func contentInTheSameWriteIsNobodys(wire: Wire, answer: Answer) async throws {
        for form in Form.allCases { try await sendInOneWrite(answer, wire, form) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, bodiless)
    func contentInALaterWriteIsNobodys(wire: Wire, answer: Answer) async throws {
        for form in Form.allCases { try await sendInTwoWrites(answer, wire, form) }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ended)
    func bytesBehindTheEndAreNobodys(wire: Wire, answer: Answer) async throws {
        try await sendInOneWrite(answer, wire, .direct)
        try await sendInTwoWrites(answer, wire, .direct)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, bodiless)
    func theHeadIsHandedOnAsItCame(wire: Wire, answer: Answer) async throws {
        let script: Script = [.expectHead, .send(answer.answer + answer.rest), Self.goingOn]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.send(try RequestMessage(server.url("/"), method: answer.method))
            #expect(response.status.code == answer.status)
            #expect(response.data.isEmpty)
            #expect(response.trailers == nil)
            let lines = response.fields.map { "\($0.name.rawName): \($0.value)\r\n" }
            #expect("HTTP/1.1 \(answer.status) Odd\r\n\(lines.joined())\r\n" == answer.answer)
            let hop = try #require(response.metrics.hops.first)
            #expect(hop.responseHeadBytes == answer.answer.utf8.count)
            #expect(hop.responseBodyBytes == 0)
        }
    }

    // MARK: Lengths

    @Test(
        .timeLimit(.minutes(5)),
        arguments: Wire.allCases,
        ["Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 05"]
    )
    func aLengthThatIsSaidTwiceIsOne(wire: Wire, lengths: String) async throws {
        let script = Script.answering("HTTP/1.1 200 OK\r\n\(lengths)\r\n\r\nhello")
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
    func theLongestContentIsNotCollected(wire: Wire, form: Form) async throws {
        let first: Script = [.expectHead, .send(Self.endless), .silence]
        try await wire.with(.scripts([first, .answering(Self.real)])) { server, session in
            let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
            #expect(outcome.code == .bodyTooLarge)
            #expect(outcome.error?.response?.status.code == 200)
            await server.waitForOpenConnections(0)
            try await expectRealAnswer(form, server, session)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func theLongestContentIsStreamedUntilItBreaksOff(wire: Wire) async throws {
        let isRead = Gate()
        let first: Script = [.expectHead, .send(Self.endless), .wait(isRead), .close]
        try await wire.with(.scripts([first, .answering(Self.real)])) { server, session in
            let answer = try await session.stream(server.url("/"))
            #expect(answer.expectedLength == Int64.max)
            var reader = answer.body.makeAsyncIterator()
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
            try await expectRealAnswer(.stream, server, session)
        }
    }
}
