internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

/// What serializers have in common that parse what they do not refuse.
@Suite struct AFHTTPResponseSerializationTests {
    /// Makes lines of texts; fails where told to.
    private struct Lines: AFHTTPResponseSerialization {
        var acceptableStatusCodes: IndexSet? = AFHTTPResponseSerializer.successCodes
        var acceptableContentTypes: Set<String>? = ["text/plain"]

        func parse(_ data: Data, of response: HTTPResponse) throws -> [String]? {
            let text = String(decoding: data, as: UTF8.self)
            if text == "quirk" { throw Quirk() }
            if text == "refused" { throw ApusError(.decodingFailed, "refused", underlying: Quirk()) }
            return text.isEmpty ? nil : text.split(separator: "\n").map(String.init)
        }
    }

    @Test func parseWhatIsAccepted() {
        let answer = Lines().answer("a\nb", type: "text/plain")
        #expect(answer.object == ["a", "b"])
        #expect(answer.error == nil)
        let nothing = Lines().answer("", status: .noContent)
        #expect(nothing.object == nil)
        #expect(nothing.error == nil)
    }

    /// Parity: AFN-response-error-parsed
    @Test func parseTheExplanationOfARefusedStatus() {
        let answer = Lines().answer("why\nnot", status: .forbidden, type: "text/plain")
        #expect(answer.object == ["why", "not"])
        #expect(answer.error?.code == .unacceptableStatus)
        #expect(answer.error?.underlying == nil)
        #expect(answer.error?.data == Data("why\nnot".utf8))
    }

    /// Parity: AFN-response-type-error, AFN-response-errors-nest, AFN-response-error-parsed
    @Test(arguments: ["a", "quirk"])
    func doNotParseAnotherType(text: String) {
        let answer = Lines().answer(text, type: "text/html")
        #expect(answer.object == nil)
        #expect(answer.error?.code == .unacceptableContentType)
        let both = Lines().answer(text, status: .badGateway, type: "text/html")
        #expect(both.object == nil)
        #expect(both.error?.code == .unacceptableStatus)
        #expect((both.error?.underlying as? ApusError)?.code == .unacceptableContentType)
        #expect(both.error?.data == Data(text.utf8))
        #expect(Lines().answer(text).error?.code == .missingContentType)
    }

    @Test func sayWhatParsingThrew() {
        let answer = Lines().answer("quirk", type: "text/plain")
        #expect(answer.object == nil)
        #expect(answer.error?.code == .serializerFailed)
        #expect(answer.error?.underlying is Quirk)
        #expect(answer.error?.data == Data("quirk".utf8))
        #expect(answer.error?.response?.status == .ok)
    }

    /// Parity: AFN-response-errors-nest
    @Test func keepTheRefusalBehindWhatParsingThrew() {
        struct Plain: AFHTTPResponseSerialization {
            var acceptableStatusCodes: IndexSet? = [200]
            var acceptableContentTypes: Set<String>?
            func parse(_ data: Data, of response: HTTPResponse) throws -> String? {
                throw ApusError(.decodingFailed, "no text")
            }
        }
        let answer = Plain().answer("x", status: .notFound)
        #expect(answer.error?.code == .decodingFailed)
        #expect((answer.error?.underlying as? ApusError)?.code == .unacceptableStatus)
        #expect(answer.error?.data == Data("x".utf8))
        #expect(answer.error?.response?.status == .notFound)
        // A cause of its own stays.
        let other = Lines().answer("refused", status: .notFound, type: "text/plain")
        #expect(other.error?.code == .decodingFailed)
        #expect(other.error?.underlying is Quirk)
    }

    /// Refuses what does not begin as it should.
    private struct Picky: AFHTTPResponseSerialization {
        var acceptableStatusCodes: IndexSet?
        var acceptableContentTypes: Set<String>?

        func validate(_ response: HTTPResponse, data: Data) throws(ApusError) {
            guard data.first == UInt8(ascii: "A") else { throw ApusError(.validationFailed, "no A") }
        }

        func parse(_ data: Data, of response: HTTPResponse) throws -> String? { String(decoding: data, as: UTF8.self) }
    }

    @Test func canRefuseByTheirOwnRules() {
        #expect(Picky().answer("A", status: .notFound).error == nil)
        let answer = Picky().answer("B")
        #expect(answer.object == "B")
        #expect(answer.error?.code == .validationFailed)
        #expect(answer.error?.data == Data("B".utf8))
        #expect(answer.error?.response?.status == .ok)
    }
}
