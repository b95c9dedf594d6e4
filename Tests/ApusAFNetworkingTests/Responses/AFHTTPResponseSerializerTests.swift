internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFHTTPResponseSerializerTests {
    /// Parity: AFN-response-http, AFN-response-status, AFN-response-status-error
    @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false), (500, false)])
    func acceptsSuccess(code: Int, isAccepted: Bool) {
        let answer = AFHTTPResponseSerializer().answer("content", status: HTTPResponse.Status(code: code))
        #expect(answer.object == Data("content".utf8))
        #expect(answer.error?.code == (isAccepted ? nil : .unacceptableStatus))
    }

    /// Parity: AFN-response-status
    @Test func acceptsTheStatusesItIsTold() {
        var serializer = AFHTTPResponseSerializer(acceptableStatusCodes: [200, 404])
        #expect(serializer.answer("", status: .notFound).error == nil)
        #expect(serializer.answer("", status: .created).error?.code == .unacceptableStatus)
        serializer.acceptableStatusCodes = nil
        #expect(serializer.answer("", status: .internalServerError).error == nil)
        serializer.acceptableStatusCodes = []
        #expect(serializer.answer("").error?.code == .unacceptableStatus)
    }

    /// Parity: AFN-response-any-type
    @Test(arguments: [nil, "text/html", "image/png; a=b", "nonsense"])
    func acceptsAnyTypeUnlessToldOtherwise(type: String?) {
        let answer = AFHTTPResponseSerializer().answer("content", type: type)
        #expect(answer.object == Data("content".utf8))
        #expect(answer.error == nil)
    }

    /// Parity: AFN-response-type-error
    @Test(
        arguments: [
            ("text/plain", nil), ("TEXT/Plain; charset=utf-8", nil), ("application/problem+json", nil),
            ("image/png", nil), ("text/html", .unacceptableContentType), ("text", .unacceptableContentType),
            ("", .unacceptableContentType), (nil, .missingContentType),
        ] as [(String?, ApusError.Code?)]
    )
    func acceptsTheTypesItIsTold(type: String?, code: ApusError.Code?) {
        let types: Set<String> = ["text/plain", "application/*+json", "image/*"]
        let serializer = AFHTTPResponseSerializer(acceptableContentTypes: types)
        #expect(serializer.answer("content", type: type).error?.code == code)
        // What has no content has no type.
        #expect(serializer.answer("", type: type).error == nil)
    }

    @Test func canAcceptHTMLAndWhatHasNoType() {
        var serializer = AFHTTPResponseSerializer(acceptableContentTypes: ["text/plain"])
        serializer.acceptableContentTypes?.insert("text/html")
        #expect(serializer.answer("content", type: "text/html").error == nil)
        #expect(serializer.answer("content").error?.code == .missingContentType)
        serializer.acceptableContentTypes?.insert("*/*")
        #expect(serializer.answer("content").error == nil)
        serializer.acceptableContentTypes = []
        #expect(serializer.answer("content", type: "text/html").error?.code == .unacceptableContentType)
    }

    /// Parity: AFN-response-error-content
    @Test func keepsWhatCameWithEachError() throws {
        let serializer = AFHTTPResponseSerializer(acceptableContentTypes: ["text/plain"])
        let answer = serializer.answer("why", status: .notFound, type: "text/html")
        #expect(answer.object == Data("why".utf8))
        let error = try #require(answer.error)
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
