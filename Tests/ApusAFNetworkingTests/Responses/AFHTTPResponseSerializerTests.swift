internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFHTTPResponseSerializerTests {
    /// Parity: AFN-response-http, AFN-response-status, AFN-response-status-error
    @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false), (500, false)])
    func acceptsSuccessfulStatuses(code: Int, isAccepted: Bool) {
        let result = AFHTTPResponseSerializer().serialize("content", status: HTTPResponse.Status(code: code))
        #expect(result.object == Data("content".utf8))
        #expect(result.error?.code == (isAccepted ? nil : .unacceptableStatus))
    }

    /// Parity: AFN-response-status
    @Test func acceptsConfiguredStatuses() {
        var serializer = AFHTTPResponseSerializer(acceptableStatusCodes: [200, 404])
        #expect(serializer.serialize("", status: .notFound).error == nil)
        #expect(serializer.serialize("", status: .created).error?.code == .unacceptableStatus)
        serializer.acceptableStatusCodes = nil
        #expect(serializer.serialize("", status: .internalServerError).error == nil)
        serializer.acceptableStatusCodes = []
        #expect(serializer.serialize("").error?.code == .unacceptableStatus)
    }

    /// Parity: AFN-response-any-type
    @Test(arguments: [nil, "text/html", "image/png; a=b", "nonsense"])
    func acceptsAnyContentTypeByDefault(type: String?) {
        let result = AFHTTPResponseSerializer().serialize("content", type: type)
        #expect(result.object == Data("content".utf8))
        #expect(result.error == nil)
    }

    /// Parity: AFN-response-type-error
    @Test(
        arguments: [
            ("text/plain", nil), ("TEXT/Plain; charset=utf-8", nil), ("application/problem+json", nil),
            ("image/png", nil), ("text/html", .unacceptableContentType), ("text", .unacceptableContentType),
            ("", .unacceptableContentType), (nil, .missingContentType),
        ] as [(String?, ApusError.Code?)]
    )
    func acceptsConfiguredContentTypes(type: String?, code: ApusError.Code?) {
        let types: Set<String> = ["text/plain", "application/*+json", "image/*"]
        let serializer = AFHTTPResponseSerializer(acceptableContentTypes: types)
        #expect(serializer.serialize("content", type: type).error?.code == code)
        // An empty body needs no media type.
        #expect(serializer.serialize("", type: type).error == nil)
    }

    @Test func canAcceptHTMLAndMissingContentTypes() {
        var serializer = AFHTTPResponseSerializer(acceptableContentTypes: ["text/plain"])
        serializer.acceptableContentTypes?.insert("text/html")
        #expect(serializer.serialize("content", type: "text/html").error == nil)
        #expect(serializer.serialize("content").error?.code == .missingContentType)
        serializer.acceptableContentTypes?.insert("*/*")
        #expect(serializer.serialize("content").error == nil)
        serializer.acceptableContentTypes = []
        #expect(serializer.serialize("content", type: "text/html").error?.code == .unacceptableContentType)
    }

    /// Parity: AFN-response-error-content
    @Test func keepsTheResponseInEachError() throws {
        let serializer = AFHTTPResponseSerializer(acceptableContentTypes: ["text/plain"])
        let result = serializer.serialize("why", status: .notFound, type: "text/html")
        #expect(result.object == Data("why".utf8))
        let error = try #require(result.error)
        #expect(error.code == .unacceptableStatus)
        #expect(error.detail.contains("404"))
        let cause = try #require(error.underlying as? ApusError)
        #expect(cause.code == .unacceptableContentType)
        #expect(cause.detail.contains("text/html"))
        #expect(cause.detail.contains("text/plain"))
        for error in [error, cause] {
            #expect(error.data == Data("why".utf8))
            #expect(error.response?.status == .notFound)
        }
    }
}
