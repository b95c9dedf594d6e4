internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite struct ParameterizedRequestTests {
    private struct FailingURL: URLConvertible {
        func asURL() throws -> URL { throw Fault() }
    }

    private struct NoEncoder: ParameterEncoder {
        func encode<Parameters: Encodable & Sendable>(
            _ parameters: Parameters?,
            into request: RequestMessage
        ) throws -> RequestMessage {
            throw Fault()
        }
    }

    @Test func isAFormInTheQueryOfAGet() throws {
        let request = try ParameterizedRequest("http://h/", parameters: ["a": "b c"]).asRequest()
        #expect(request.method == .get)
        #expect(request.target.path == "/?a=b%20c")
        #expect(request.fields.isEmpty)
        #expect(request.body.isNone)
    }

    /// Parity: AF-parameters-modifier
    @Test func isModifiedBetweenItsFieldsAndItsParameters() throws {
        let parameterized = ParameterizedRequest(
            "http://h/?q",
            method: .get,
            parameters: ["a": 1],
            encoder: .urlEncodedForm,
            fields: [.accept: "text/plain"]
        ) { request in
            #expect(request.method == .get)
            #expect(request.fields[.accept] == "text/plain")
            #expect(request.target.path == "/?q")
            #expect(request.body.isNone)
            request.method = .post
            request.fields[.contentType] = "application/vnd.own"
        }
        for _ in 0..<2 {
            let request = try parameterized.asRequest()
            #expect(request.method == .post)
            #expect(try request.sentString == "a=1")
            #expect(request.fields[.contentType] == "application/vnd.own")
        }
    }

    @Test func namesTheRequestThatCanNotBeEncoded() throws {
        let request = ParameterizedRequest("http://h/p?secret=1", method: .put, parameters: ["a": Double.nan])
        let error = try refusal(of: request.asRequest)
        #expect(
            error.description.hasPrefix("PUT http://h/p?secret=… has a parameter that can't be encoded: the value at a")
        )
        let foreign = ParameterizedRequest("http://h/", parameters: ["a": 1], encoder: NoEncoder())
        let wrapped = try refusal(of: foreign.asRequest)
        #expect(wrapped.code == .parameterEncodingFailed)
        #expect(wrapped.underlying is Fault)
    }

    @Test func doesNotRevealItsParameters() {
        let request = ParameterizedRequest("http://u:p@h/?t=x", method: .put, parameters: ["password": "sesame"])
        #expect("\(request)" == "PUT with Dictionary<String, String>")
    }
}
