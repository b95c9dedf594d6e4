internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct RawResponseDebugTests {
    private func shown(_ content: Data, _ fields: HTTPFields, sending body: RequestBody = .none) throws -> [String] {
        let target = try TargetURI("https://h/")
        let raw = RawResponse(
            request: RequestMessage(
                method: .post,
                target: target,
                fields: [.contentType: "text/plain", .from: "b", .accept: "a"],
                body: body
            ),
            collected: CollectedResponse(
                head: ResponseHead(status: .ok, fields: fields),
                content: .memory(content),
                trailers: nil,
                target: target
            ),
            metrics: RequestMetrics(first: nil)
        )
        let text = raw.debugDescription(serializationDuration: .zero, result: Result<Int, ApusError>.success(1))
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func content(_ content: String, type: String?, coding: String? = nil) throws -> [String] {
        var fields = HTTPFields()
        fields[.contentType] = type
        fields[.contentEncoding] = coding
        return Array(try shown(Data(content.utf8), fields).drop { !$0.hasPrefix("[Body]") }.dropLast(3))
    }

    /// Parity: AF-response-debug
    @Test func showsFieldsInAlphabeticalOrder() throws {
        let lines = try shown(Data(), [.server: "s", .age: "1", .date: "d"])
        #expect(
            lines.prefix(5) == [
                "[Request]: POST https://h/", "    Accept: a", "    Content-Type: text/plain", "    From: b",
                "[Request body]: none",
            ]
        )
        #expect(lines[5...8] == ["[Response]: 200 OK", "    Age: 1", "    Date: d", "    Server: s"])
    }

    /// Parity: AF-response-debug
    @Test(arguments: [
        "text/plain", "text/html; charset=utf-8", "application/json", "application/problem+json", "application/xml",
        "image/svg+xml", "application/x-www-form-urlencoded",
    ])
    func showsTexts(type: String) throws {
        #expect(try content("one\ntwo", type: type) == ["[Body]: 7 bytes", "    one", "    two"])
    }

    @Test(arguments: [nil, "image/png", "application/octet-stream", "nonsense"])
    func showsOnlyTheSizeOfOtherBodies(type: String?) throws {
        #expect(try content("one", type: type) == ["[Body]: 3 bytes"])
        #expect(try content("one", type: "text/plain", coding: "gzip") == ["[Body]: 3 bytes"])
    }

    /// Parity: AF-response-debug
    @Test(arguments: [(2048, false), (2049, true)])
    func cutsLongTexts(count: Int, isCut: Bool) throws {
        let lines = try content(String(repeating: "x", count: count), type: "text/plain")
        #expect(
            lines == ["[Body]: \(count) bytes", "    " + String(repeating: "x", count: 2048) + (isCut ? "…" : "")]
        )
        // A character is never cut in two.
        let accents = try content(String(repeating: "é", count: count), type: "text/plain")
        #expect(accents.last == "    " + String(repeating: "é", count: 1024) + "…")
        let odd = try content("x" + String(repeating: "é", count: count), type: "text/plain")
        #expect(odd.last == "    x" + String(repeating: "é", count: 1023) + "…")
    }

    @Test func showsTheBodyOfTheRequest() throws {
        let bodies: [(RequestBody, [String])] = [
            (.string("hi"), ["[Request body]: 2 bytes", "    hi"]),
            (.replayable(length: 7) { AsyncStream<BodyChunk> { nil } }, ["[Request body]: 7 bytes"]),
            (.replayable { AsyncStream<BodyChunk> { nil } }, ["[Request body]: of unknown length"]),
        ]
        for (body, expected) in bodies {
            let lines = try shown(Data(), [:], sending: body)
            #expect(Array(lines.drop { !$0.hasPrefix("[Request body]") }.prefix(expected.count)) == expected)
        }
    }

    @Test func removesControlCharacters() throws {
        #expect(try content("a\u{1B}[2Jb\u{0}", type: "text/plain").last == "    a[2Jb")
    }
}
