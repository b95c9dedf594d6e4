internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// The responses that monitors get.
@Suite(.timeLimit(.minutes(5))) struct ResponseSummaryTests {
    private func summary(
        _ data: Data,
        type: String? = "text/plain",
        upTo limit: Int = 4096,
        error: ApusError? = nil
    ) throws -> ResponseSummary {
        var fields = HTTPFields()
        fields[.contentType] = type
        let target = try TargetURI("http://h/a?token=sesame")
        let raw = RawResponse(
            request: RequestMessage(target: target, fields: [.authorization: "sesame"]),
            collected: CollectedResponse(
                head: ResponseHead(status: .ok, fields: fields),
                content: .memory(data),
                trailers: nil,
                target: target
            ),
            metrics: RequestMetrics(first: nil)
        )
        return ResponseSummary(of: raw, upTo: limit, serializedIn: .milliseconds(2), failure: error)
    }

    private func summary(
        _ text: String,
        type: String? = "text/plain",
        upTo limit: Int = 4096,
        error: ApusError? = nil
    ) throws -> ResponseSummary {
        try summary(Data(text.utf8), type: type, upTo: limit, error: error)
    }

    // MARK: Values

    /// Parity: AF-monitor-request-events
    @Test func hasThePartsOfTheResponse() throws {
        let response = try summary("abc", error: ApusError(.decodingFailed, "no"))
        #expect(response.status == .ok && response.response?.status == .ok)
        #expect(response.fields[.contentType] == "text/plain")
        #expect(response.error?.code == .decodingFailed)
        #expect(response.serializationDuration == .milliseconds(2))
        #expect(response.bodyBytes == 3 && response.bodyPrefix == Data("abc".utf8) && response.bodyText == "abc")
        #expect(response.fileURL == nil && response.duration == .zero)
        #expect(response.request?.target.path == "/a?token=sesame")
    }

    @Test(
        arguments: [
            (0, "", ""), (2, "ab", "ab…"), (3, "abc", "abc"), (9, "abc", "abc"), (.max, "abc", "abc"),
        ] as [(Int, String, String)]
    )
    func hasNoMoreThanTheLimit(limit: Int, prefix: String, text: String) throws {
        let response = try summary("abc", upTo: limit)
        #expect(response.bodyPrefix == Data(prefix.utf8))
        #expect(response.bodyText ?? "" == text)
        #expect(response.bodyBytes == 3)
    }

    /// A body of up to four times the limit, but at least 4 KiB, is shared. A longer one is not kept alive.
    @Test(arguments: [(4096, 10, true), (5000, 10, false), (8003, 2000, true), (8004, 2000, false)])
    func keepsOnlyTheBeginningOfALongBody(count: Int, limit: Int, isShared: Bool) throws {
        let raw = RawResponse(
            request: try RequestMessage("http://h/"),
            collected: CollectedResponse(
                head: ResponseHead(status: .ok, fields: [:]),
                content: .memory(Data(repeating: 7, count: count)),
                trailers: nil,
                target: try TargetURI("http://h/")
            ),
            metrics: RequestMetrics(first: nil)
        )
        let beginning = raw.beginning(upTo: limit)
        #expect(beginning.data?.count == (isShared ? count : limit))
        #expect((beginning === raw) == isShared)
        let response = ResponseSummary(of: raw, upTo: limit)
        #expect(response.bodyBytes == Int64(count))
        #expect(response.bodyPrefix == Data(repeating: 7, count: limit))
    }

    @Test func hasNothingOfAMissingResponse() {
        let response = ResponseSummary(error: ApusError(.connectFailed, "refused"))
        #expect(response.status == nil && response.response == nil && response.fields.isEmpty)
        #expect(response.bodyBytes == 0 && response.bodyPrefix.isEmpty && response.bodyText == nil)
        #expect(response.serializationDuration == nil && response.request == nil)
        #expect("\(response)" == "no response in 0 µs: could not connect: refused")
    }

    // MARK: Text

    @Test func decodesTheTextByItsCharset() throws {
        #expect(try summary(Data([0xE9]), type: "text/plain; charset=iso-8859-1").bodyText == "é")
        let japanese = Data([0x65, 0xE5, 0x67, 0x2C])
        #expect(try summary(japanese, type: "text/plain; charset=utf-16be").bodyText == "日本")
        #expect(try summary(Data([0xFE, 0xFF, 0, 0x61])).bodyText == "a")
        // A text that is not valid is shown with marks.
        #expect(try summary(Data([0x61, 0xFF])).bodyText == "a\u{FFFD}")
        #expect(try summary(Data([0x61, 0xFF]), type: "text/plain; charset=nonsense").bodyText == "a\u{FFFD}")
    }

    @Test(arguments: ["text/plain", "text/plain; charset=utf-8", "text/plain; charset=utf-16le"])
    func cutsNoCharacterInTwo(type: String) throws {
        let encoding = type.hasSuffix("le") ? String.Encoding.utf16LittleEndian : .utf8
        let data = try #require("日本語日本語".data(using: encoding))
        for limit in 4..<data.count {
            let text = try #require(try summary(data, type: type, upTo: limit).bodyText)
            #expect(text.hasSuffix("…") && "日本語日本語".hasPrefix(text.dropLast()) && text.count > 1)
        }
    }

    @Test func showsNoSecret() throws {
        let response = try summary(#"{"token":"sesame"}"#, type: "application/json")
        #expect(response.bodyText == #"{"token":"<redacted>"}"#)
        for text in ["\(response)", response.debugDescription] { #expect(!text.contains("sesame"), "\(text)") }
        #expect("\(response)" == "200 OK, 18 B of application/json in 0 µs")
        #expect(response.debugDescription.contains(#"    {"token":"<redacted>"}"#))
        #expect(response.debugDescription.hasSuffix("[Serialization duration]: 2 ms\n[Result]: success"))
    }

    @Test(arguments: [nil, "image/png", "application/jwt"]) func hasNoTextOfOtherBodies(type: String?) throws {
        #expect(try summary("sesame", type: type).bodyText == nil)
    }

    // MARK: Requests

    /// Returns the responses that completed, and those that were serialized.
    private func responses(_ test: TestSession) -> (completed: [ResponseSummary], serialized: [ResponseSummary]) {
        var (completed, serialized): ([ResponseSummary], [ResponseSummary]) = ([], [])
        for (_, event) in test.monitor.events {
            switch event {
            case .completed(let response): completed.append(response)
            case .serialized(let response): serialized.append(response)
            default: break
            }
        }
        return (completed, serialized)
    }

    private static let page = MockResponse(fields: [.contentType: "text/plain"], body: "ok")

    /// Parity: AF-monitor-request-events
    @Test func isThatOfADirectCallOrAHandle() async throws {
        let test = TestSession { _ in Self.page }
        _ = try await test.session.get("http://h/")
        _ = try await test.session.request("http://h/").serializingString().value
        let (completed, serialized) = responses(test)
        #expect(completed.map(\.bodyText) == ["ok", "ok"])
        #expect(completed.allSatisfy { $0.serializationDuration == nil && $0.error == nil && $0.status == .ok })
        #expect(serialized.map(\.bodyText) == ["ok"])
        #expect(serialized.first?.serializationDuration == .zero)
    }

    /// Parity: AF-monitor-request-events
    @Test func isThatOfAFailedSerializer() async throws {
        let test = TestSession { _ in Self.page }
        _ = await test.session.request("http://h/").serializingDecodable([Int].self).response
        let (completed, serialized) = responses(test)
        #expect(completed.map(\.error?.code) == [nil])
        #expect(serialized.map(\.error?.code) == [.decodingFailed] && serialized.first?.bodyText == "ok")
    }

    /// Parity: AF-monitor-request-events
    @Test func hasTheBodyOfARejectedResponse() async throws {
        let test = TestSession { _ in
            MockResponse(status: .notFound, fields: [.contentType: "text/plain"], body: "missing")
        }
        _ = await test.session.request("http://h/").validate().serializingString().response
        let (completed, serialized) = responses(test)
        #expect(completed.map(\.status?.code) == [404] && completed.map(\.bodyText) == ["missing"])
        #expect(completed.map(\.error?.code) == [.unacceptableStatus] && serialized.isEmpty)
    }

    @Test func isThatOfEachAttempt() async throws {
        let again = Retrier(reconsidering: { $0.retryCount == 0 ? .retry : .doNotRetry }) { _, _ in .doNotRetry }
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [again]) }) { _ in Self.page }
        _ = try await test.session.get("http://h/")
        _ = try await test.session.request("http://h/").serializingString().value
        #expect(responses(test).completed.map(\.bodyText) == ["ok", "ok", "ok", "ok"])
        #expect(responses(test).completed.allSatisfy { $0.status == .ok })
    }

    @Test func isThatOfAStreamOrADownload() async throws {
        try await inFolder { folder in
            let test = TestSession { _ in Self.page }
            for try await _ in try await test.session.stream("http://h/").body {}
            let file = folder.appending(path: "file")
            _ = try await test.session.download("http://h/", to: .file(file)).serializingURL().value
            let (completed, serialized) = responses(test)
            #expect(completed.map(\.status) == [.ok, .ok] && serialized.map(\.status) == [.ok])
            #expect(completed.allSatisfy { $0.bodyPrefix.isEmpty && $0.bodyText == nil })
            #expect(completed.map(\.fileURL) == [nil, file] && serialized.map(\.fileURL) == [file])
        }
    }

    /// Parity: AF-monitor-request-events
    @Test func comesWithASummaryOfItsRequest() async throws {
        let test = TestSession()
        let built = test.session.request("http://h/a?token=sesame", options: [RequestLabel("profile")])
        _ = try await built.serializingString().value
        let descriptions = Set(test.monitor.summaries(of: built.id).map(\.description))
        #expect(descriptions == ["GET http://h/a?token=… (\(built.id), profile)"])
        let failing = test.session.request("nonsense")
        _ = await failing.serializingString().response
        let summaries = test.monitor.summaries(of: failing.id)
        #expect(!summaries.isEmpty && summaries.allSatisfy { $0.target == nil && $0.method == nil })
    }

    /// A monitor of one request, in a session with and without monitors of its own.
    @Test(arguments: [false, true]) func isThatOfAMonitorOfOneRequest(hasMonitor: Bool) async throws {
        let test = TestSession.configured { if !hasMonitor { $0.eventMonitors = [] } }
        let request = test.session.request("http://h/a")
        let monitor = RecordingEventMonitor()
        request.task.add(monitor)
        _ = try await request.serializingString().value
        _ = try await test.session.get("http://h/b")
        let course = [
            "resumed", "created", "exchangeBegan", "exchangeEnded", "responded", "validated", "completed", "serialized",
            "finished",
        ]
        #expect(monitor.events.allSatisfy { $0.request == request.id })
        #expect(monitor.names(of: request.id) == course)
        #expect(Set(monitor.summaries(of: request.id).map(\.target?.path)) == ["/a"])
        if hasMonitor { #expect(test.names(of: request) == course) }
        try await assertNothingLeft(test.session)
    }

    /// The body is shown once, and only as far as the limit allows.
    @Test func doesNotRepeatTheBodyWithTheError() throws {
        let head = HTTPResponse(status: .notFound, headerFields: [.contentType: "text/plain"])
        let data = Data("no such user".utf8)
        let error = ApusError(.unacceptableStatus, "why").with(response: head, data: data)
        #expect(error.debugDescription.contains("no such user"))
        let text = try summary(data, upTo: 0, error: error).debugDescription
        #expect(text.contains("why") && !text.contains("no such user"), "\(text)")
    }
}
