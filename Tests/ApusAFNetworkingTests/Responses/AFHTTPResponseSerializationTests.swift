internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

/// The common behavior of serializers that parse the responses they accept.
@Suite struct AFHTTPResponseSerializationTests {
    /// Splits a text into lines, and fails for certain texts.
    private struct LineSerializer: AFHTTPResponseSerialization {
        var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
        var acceptableContentTypes: Set<String>? = ["text/plain"]

        func parse(_ data: Data, of response: HTTPResponse) throws -> [String]? {
            let text = String(decoding: data, as: UTF8.self)
            if text == "faulty" { throw CustomError() }
            if text == "refused" { throw ApusError(.decodingFailed, "refused", underlying: CustomError()) }
            return text.isEmpty ? nil : text.split(separator: "\n").map(String.init)
        }
    }

    @Test func parseAcceptedResponses() {
        let result = LineSerializer().serialize("a\nb", type: "text/plain")
        #expect(result.object == ["a", "b"])
        #expect(result.error == nil)
        let nothing = LineSerializer().serialize("", status: .noContent)
        #expect(nothing.object == nil)
        #expect(nothing.error == nil)
    }

    /// Parity: AFN-response-error-parsed
    @Test func parseTheBodyOfARejectedStatus() {
        let result = LineSerializer().serialize("why\nnot", status: .forbidden, type: "text/plain")
        #expect(result.object == ["why", "not"])
        #expect(result.error?.code == .unacceptableStatus)
        #expect(result.error?.underlying == nil)
        #expect(result.error?.data == Data("why\nnot".utf8))
    }

    /// Parity: AFN-response-type-error, AFN-response-errors-nest, AFN-response-error-parsed
    @Test(arguments: ["a", "faulty"])
    func doNotParseAnotherType(text: String) {
        let result = LineSerializer().serialize(text, type: "text/html")
        #expect(result.object == nil)
        #expect(result.error?.code == .unacceptableContentType)
        let both = LineSerializer().serialize(text, status: .badGateway, type: "text/html")
        #expect(both.object == nil)
        #expect(both.error?.code == .unacceptableStatus)
        #expect((both.error?.underlying as? ApusError)?.code == .unacceptableContentType)
        #expect(both.error?.data == Data(text.utf8))
        #expect(LineSerializer().serialize(text).error?.code == .missingContentType)
    }

    @Test func reportTheErrorOfParsing() {
        let result = LineSerializer().serialize("faulty", type: "text/plain")
        #expect(result.object == nil)
        #expect(result.error?.code == .serializerFailed)
        #expect(result.error?.underlying is CustomError)
        #expect(result.error?.data == Data("faulty".utf8))
        #expect(result.error?.response?.status == .ok)
    }

    /// Parity: AFN-response-errors-parsing
    @Test(arguments: [("faulty", ApusError.Code.serializerFailed), ("refused", .decodingFailed)])
    func keepTheRejectionIfParsingFails(text: String, code: ApusError.Code) throws {
        let error = try #require(LineSerializer().serialize(text, status: .notFound, type: "text/plain").error)
        #expect(error.code == .unacceptableStatus)
        #expect(error.isValidation)
        #expect(error.responseCode == 404)
        #expect(error.data == Data(text.utf8))
        let cause = try #require(error.underlying as? ApusError)
        #expect(cause.code == code)
        // The error that the serializer threw is kept too.
        #expect(cause.underlying is CustomError)
    }

    /// A rejection that has a cause keeps it, and describes the error of parsing.
    @Test func keepTheCauseOfARejectionIfParsingFails() {
        struct Picky: AFHTTPResponseSerialization {
            var acceptableStatusCodes: IndexSet?
            var acceptableContentTypes: Set<String>?

            func validate(_ response: HTTPResponse, data: Data) throws(ApusError) {
                throw ApusError(.validationFailed, "no A", underlying: CustomError())
            }

            func parse(_ data: Data, of response: HTTPResponse) throws -> String? {
                throw ApusError(.decodingFailed, "no text")
            }
        }
        let result = Picky().serialize("x")
        #expect(result.error?.code == .validationFailed)
        #expect(result.error?.underlying is CustomError)
        #expect(result.error?.detail.contains("no text") == true)
        #expect(result.error?.data == Data("x".utf8))
    }

    /// Rejects data that does not begin with an A.
    private struct ValidatingSerializer: AFHTTPResponseSerialization {
        var acceptableStatusCodes: IndexSet?
        var acceptableContentTypes: Set<String>?

        func validate(_ response: HTTPResponse, data: Data) throws(ApusError) {
            guard data.first == UInt8(ascii: "A") else { throw ApusError(.validationFailed, "no A") }
        }

        func parse(_ data: Data, of response: HTTPResponse) throws -> String? { String(decoding: data, as: UTF8.self) }
    }

    @Test func canHaveCustomValidation() {
        #expect(ValidatingSerializer().serialize("A", status: .notFound).error == nil)
        let result = ValidatingSerializer().serialize("B")
        #expect(result.object == "B")
        #expect(result.error?.code == .validationFailed)
        #expect(result.error?.data == Data("B".utf8))
        #expect(result.error?.response?.status == .ok)
    }
}
