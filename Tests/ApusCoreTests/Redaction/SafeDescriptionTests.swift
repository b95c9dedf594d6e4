internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The default descriptions of requests, responses and events show no secrets.
@Suite(.timeLimit(.minutes(5))) struct SafeDescriptionTests {
    private static let url = "http://sesame:sesame@h/a?token=sesame#sesame"

    private static let fields: HTTPFields = [
        .authorization: "sesame", .cookie: "sesame", .setCookie: "sesame", .location: "http://sesame@h/?a=sesame",
    ]

    /// Returns all descriptions of a value.
    private static func texts(of value: some Any) -> [String] {
        ["\(value)", String(describing: value), String(reflecting: value)]
    }

    @Test func showsNoSecretOfARequest() throws {
        let target = try TargetURI(Self.url)
        let request = try RequestMessage(
            Self.url,
            method: .post,
            fields: RequestFields(Self.fields),
            body: .string("sesame")
        )
        let error = ApusError(.connectFailed, "refused").about(method: .get, target: target)
        let response = ResponseSummary(error: error, serializationDuration: .seconds(1))
        let events: [RequestEvent] = [
            .created(request), .exchangeBegan(request, cause: .redirect),
            .informational(HTTPResponse(status: .init(code: 103), headerFields: Self.fields)),
            .redirected(HTTPResponse(status: .found, headerFields: Self.fields), to: request),
            .challenged(HTTPResponse(status: .unauthorized, headerFields: Self.fields), answeredBy: "basic"),
            .responded(HTTPResponse(status: .ok, headerFields: Self.fields)),
            .completed(response), .serialized(response),
        ]
        let summary = RequestSummary(id: RequestID(number: 3), method: .get, target: target, label: "a")
        let values: [Any] = [
            summary, response, target, request, request.body, events, [request], Optional(target) as Any,
        ]
        for text in values.flatMap({ Self.texts(of: $0) }) { #expect(!text.contains("sesame"), "\(text)") }
        #expect("\(target)" == "http://h/a?token=…")
        #expect("\(request)" == "POST http://h/a?token=…")
        #expect("\(request.body)" == "6 bytes")
    }

    @Test func showsNoSecretOfAResponse() async throws {
        let test = TestSession { _ in
            MockResponse(fields: Self.fields, chunks: [BodyChunk("ge"), BodyChunk("heim")])
        }
        let request = test.session.request(Self.url)
        let dataResponse = await request.serializingString().response
        let response = try await test.session.get(Self.url)
        let streamed = try await test.session.stream(Self.url)
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try await test.session.download(Self.url, to: folder)
        let error = await failure { try await test.session.get(Self.url + "\u{0}") }
        let values: [Any] = [
            request, dataResponse.debugDescription, response, response.metrics, response.metrics.exchanges, streamed,
            streamed.body, file, test.session.configuration, error as Any,
        ]
        for text in values.flatMap({ Self.texts(of: $0) }) { #expect(!text.contains("sesame"), "\(text)") }
        #expect("\(response)" == "200 GET http://h/a?token=… (6 bytes)")
        #expect("\(streamed)" == "200 GET http://h/a?token=… (stream)")
    }

    @Test func describesBodies() {
        let stream = RequestBody.replayable(length: -1) { AsyncStream<BodyChunk> { $0.finish() } }
        #expect("\(stream)" == "stream, length unknown")
        #expect(stream.length == nil)
        let once = RequestBody.once(length: -1, AsyncStream<BodyChunk> { $0.finish() })
        #expect("\(once)" == "stream that can be read once, length unknown")
        #expect("\(RequestBody.none)" == "no body")
        #expect("\(ResponseBody.whole(BodyChunk("abc")))" == "3 bytes")
    }
}
