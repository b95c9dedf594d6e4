internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct JSONResponseSerializerTests {
    private func serialize(
        _ body: String,
        status: Int = 200,
        method: HTTPRequest.Method = .get,
        with serializer: JSONResponseSerializer = JSONResponseSerializer()
    ) -> Result<JSONValue, ApusError> {
        Result {
            try serializer.serialize(
                request: RequestMessage(method: method, target: TargetURI("http://h/")),
                response: HTTPResponse(status: .init(code: status)),
                data: Data(body.utf8)
            )
        }.mapError { $0 as? ApusError ?? ApusError(.serializerFailed, "\($0)") }
    }

    /// Parity: AF-serializer-json
    @Test func decodesAValue() throws {
        #expect(try serialize(#"{"a":[1,null]}"#).get() == ["a": [1, nil]])
        #expect(try serialize("[1]", status: 204).get() == [1])
        #expect(try serialize("null").get() == .null)
    }

    @Test func removesNullsIfConfigured() throws {
        let serializer = JSONResponseSerializer(removesNulls: true)
        #expect(try serialize(#"{"a":[1,null],"b":null}"#, with: serializer).get() == ["a": [1]])
        #expect(try serialize("null", with: serializer).get() == .null)
    }

    /// Parity: AF-serializer-json
    @Test(arguments: ["", " "])
    func returnsNullForAnAllowedEmptyBody(body: String) throws {
        #expect(serialize(body).failure?.code == .emptyBody)
        #expect(serialize(body, status: 201, method: .post).failure?.code == .emptyBody)
        for status in [204, 205] { #expect(try serialize(body, status: status).get() == .null) }
        #expect(try serialize(body, method: .head).get() == .null)
        let serializer = JSONResponseSerializer(emptyResponseCodes: [200], emptyRequestMethods: [.delete])
        #expect(try serialize(body, with: serializer).get() == .null)
        #expect(try serialize(body, status: 404, method: .delete, with: serializer).get() == .null)
        #expect(serialize(body, status: 204, with: serializer).failure?.code == .emptyBody)
    }

    @Test(arguments: ["  ", "\n", "<html>", "{", "[1] x"])
    func rejectsInvalidJSON(body: String) {
        #expect(serialize(body).failure?.code == .decodingFailed)
        #expect(serialize(body, status: 204).failure?.code == .decodingFailed)
    }

    /// Parity: AF-serializer-json
    @Test func isUsedByEachKindOfCall() async throws {
        let test = TestSession { request in
            request.target.path == "/bad" ? MockResponse(body: "{oops}") : MockResponse(body: #"{"a":1,"b":null}"#)
        }
        let whole: JSONValue = ["a": 1, "b": nil]
        #expect(try await test.session.get("http://h/").json() == whole)
        #expect(try await test.session.request("http://h/").serializingJSON().value == whole)
        #expect(try await test.session.request("http://h/").serializingJSON(removingNulls: true).value == ["a": 1])
        #expect(try await test.session.request("http://h/").serializingDecodable(JSONValue.self).value == whole)
        for removesNulls in [false, true] {
            let outcome = Deferred<DataResponse<JSONValue>>()
            test.session.request("http://h/").responseJSON(queue: .global(), removingNulls: removesNulls) {
                outcome.fulfill($0)
            }
            #expect(await outcome.value.value == (removesNulls ? ["a": 1] : whole))
        }
        let direct = try await test.session.get("http://h/bad")
        let error = #expect(throws: ApusError.self) { try direct.json() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.url == "http://h/bad")
        #expect(error?.data == Data("{oops}".utf8))
        let response = await test.session.request("http://h/bad").serializingJSON().response
        #expect(response.error?.code == .decodingFailed)
        #expect(response.error?.detail.contains("line 1, column 2") == true)
    }

    @Test(arguments: ["", " "])
    func failsForAnEmptyBody(body: String) async throws {
        let response = try await TestSession { _ in MockResponse(body: body) }.session.get("http://h/")
        let error = #expect(throws: ApusError.self) { try response.json() }
        #expect(error?.code == .emptyBody)
    }
}
