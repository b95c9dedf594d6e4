internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct ApusErrorTests {
    private typealias Code = ApusError.Code

    /// The tree of phases and codes in the documentation of `ApusError`.
    static let tree: [(phase: ApusError.Phase, codes: [ApusError.Code])] = [
        (
            .setup,
            [
                .invalidURL, .invalidField, .invalidRequest, .bodyNotReplayable, .fileUnreadable, .fileChanged,
                .requestBuildingFailed, .adaptationFailed, .resumeDataInvalid, .invalidConfiguration,
            ]
        ),
        (.queue, [.poolTimeout]),
        (.resolve, [.hostNotFound, .resolveFailed]),
        (.connect, [.connectTimeout, .connectFailed, .addressRefused]),
        (.tls, [.tlsTimeout, .tlsFailed, .tlsVersionUnsupported, .certificateRejected]),
        (.proxy, [.proxyTimeout, .proxyConnectFailed, .proxyRefused, .proxyAuthenticationRequired]),
        (.send, [.writeTimeout, .sendFailed, .requestBodyFailed]),
        (
            .receive,
            [
                .readTimeout, .connectionClosed, .malformedResponse, .responseTooLarge, .bodyTooLarge, .bodyAlreadyRead,
                .fileUnwritable, .fileExists, .fileInUse, .digestMismatch,
            ]
        ),
        (.decode, [.contentCodingFailed, .contentCodingUnsupported, .expansionLimit]),
        (
            .redirect,
            [.tooManyRedirects, .redirectInvalid, .redirectHandlerFailed, .pageLinkInvalid, .tooManyPages]
        ),
        (.middleware, [.middlewareFailed]),
        (.validate, [.unacceptableStatus, .unacceptableContentType, .missingContentType, .validationFailed]),
        (.serialize, [.emptyBody, .decodingFailed, .stringDecodingFailed, .serializerFailed]),
        (.retry, [.retryFailed]),
        (.cancelled, [.cancelled, .deadlineExceeded, .sessionShutDown, .sessionGone]),
    ]

    static var codes: [ApusError.Code] { tree.flatMap(\.codes) }

    /// Parity: AF-stage-transport, AF-error-phases
    @Test func mapsEachCodeToItsPhase() {
        for (phase, codes) in Self.tree {
            for code in codes { #expect(ApusError(code, "x").phase == phase, "\(code)") }
        }
        #expect(Self.tree.map(\.phase) == ApusError.Phase.allCases)
    }

    @Test func hasADistinctNameForEachCode() {
        #expect(Set(Self.codes).count == Self.codes.count)
        #expect(Set(Self.codes.map(\.name)).count == Self.codes.count)
        for code in Self.codes { #expect("\(code)" == code.name) }
    }

    /// Parity: AF-error-phases
    @Test func recognizesTimeouts() {
        let timeouts: [ApusError.Code] = [
            .poolTimeout, .connectTimeout, .tlsTimeout, .proxyTimeout, .writeTimeout, .readTimeout, .deadlineExceeded,
        ]
        for code in Self.codes { #expect(ApusError(code, "x").isTimeout == timeouts.contains(code), "\(code)") }
    }

    /// Parity: AF-error-cancelled, AF-error-is
    @Test func distinguishesCancellationFromAnExceededDeadline() {
        let cancelled: [ApusError.Code] = [.cancelled, .sessionShutDown, .sessionGone]
        for code in Self.codes { #expect(ApusError(code, "x").isCancelled == cancelled.contains(code), "\(code)") }
    }

    /// Parity: AF-error-phases
    @Test func recognizesFailuresBeforeSending() {
        for code in Self.codes {
            let isBefore = [.queue, .resolve, .connect, .tls, .proxy].contains(code.phase)
            #expect(ApusError(code, "x").isConnect == isBefore, "\(code)")
        }
    }

    /// Parity: AF-error-validation, AF-error-is
    @Test func recognizesRejectedResponses() {
        for code in Self.codes { #expect(ApusError(code, "x").isValidation == (code.phase == .validate), "\(code)") }
    }

    /// Parity: AF-error-where
    @Test func describesRequestFailureAndCauseInOneSentence() throws {
        let target = try TargetURI("https://example.org/a?b=c")
        let error = ApusError(.connectFailed, "nothing listens there").about(method: .get, target: target)
        #expect("\(error)" == "GET https://example.org/a?b=… could not connect: nothing listens there")
        #expect(error.localizedDescription == "\(error)")
        #expect(error.debugDescription == "\(error) [connect.connectFailed, blame: network]")
    }

    @Test func endsWithTheHint() {
        let error = ApusError(.readTimeout, "no data arrived", hint: "raise the limit", url: "http://h/")
        #expect("\(error)" == "http://h/ received no data in time: no data arrived; raise the limit")
        #expect(error.sentence == "http://h/ received no data in time: no data arrived")
        #expect(error.debugDescription == "\(error) [receive.readTimeout, blame: peer]")
        #expect(error.detail == "no data arrived" && error.hint == "raise the limit")
        #expect(ApusError(.readTimeout, "no data arrived").hint == nil)
    }

    /// Returns the error for a rejected response with a body.
    private func refusal(_ body: String, type: String? = "application/json") -> ApusError {
        var head = HTTPResponse(status: .notFound)
        head.headerFields[.contentType] = type
        return ApusError(.unacceptableStatus, "the status is 404", url: "http://h/")
            .with(response: head, data: Data(body.utf8))
    }

    @Test func showsTheBeginningOfARejectedBody() {
        let error = refusal(#"{"title":"no such user"}"#)
        #expect("\(error)" == "http://h/ received an unacceptable response: the status is 404")
        #expect(
            error.debugDescription == #"\#(error) with the body {"title":"no such user"} "#
                + "[validate.unacceptableStatus, blame: peer]"
        )
        #expect(error.debugText(showsBody: false) == "\(error) [validate.unacceptableStatus, blame: peer]")
        let long = refusal(String(repeating: "no ", count: 2000), type: "text/plain").debugDescription
        #expect(long.contains("the body \(String(repeating: "no ", count: 66))no… [validate"))
        #expect(refusal("a\nb", type: "text/plain").debugDescription.contains("\n") == false)
    }

    @Test(arguments: [("x", nil), ("x", "image/png"), ("", "text/plain")] as [(String, String?)])
    func showsOnlyTextOfARejectedBody(body: String, type: String?) {
        #expect(!refusal(body, type: type).debugDescription.contains("with the body"))
    }

    @Test func showsNoSecretOfARejectedBody() {
        let text = refusal(#"{"title":"no","password":"sesame"}"#).debugDescription
        #expect(text.contains(#""title":"no""#) && !text.contains("sesame"), "\(text)")
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0"
        #expect(!refusal(token, type: "text/plain").debugDescription.contains("eyJ"))
        let secret = String(repeating: "s3crEt", count: 300)
        let late = #"<input type="hidden" value="\#(secret)" name="id_token">"#
        #expect(!refusal(late, type: "text/html").debugDescription.contains("s3crEt"))
    }

    @Test func namesTheProxyWhoseCertificateWasRejected() {
        let expired = ApusError(.certificateRejected, "it expired", hint: "renew it", url: "https://h/").ofProxy(
            "https://p:1"
        )
        #expect(expired.isOfProxy)
        #expect(
            "\(expired)" == "https://h/ rejected the proxy's certificate: "
                + "the certificate of the proxy https://p:1 expired; renew it"
        )
        let issuer = ApusError(.certificateRejected, "its issuer is unknown").ofProxy("https://p:1")
        #expect(issuer.detail == "the certificate of the proxy https://p:1 was rejected: its issuer is unknown")
        let closed = ApusError(.tlsFailed, "the proxy https://p:1 closed it", url: "https://h/").ofProxy("https://p:1")
        #expect("\(closed)" == "https://h/ could not set up TLS with the proxy: the proxy https://p:1 closed it")
        #expect(!ApusError(.certificateRejected, "it expired").isOfProxy)
    }

    @Test func describesOnlyKnownDetails() {
        #expect("\(ApusError(.cancelled, "cancel() was called"))" == "was cancelled: cancel() was called")
        #expect("\(ApusError(.invalidURL, "why", url: "nonsense"))" == "nonsense is not a valid URL: why")
    }

    @Test func hasASentenceForEachCode() {
        for code in Self.codes {
            let sentence = "\(ApusError(code, "because", url: "http://h/"))"
            #expect(sentence.hasPrefix("http://h/ ") && sentence.hasSuffix(": because"), "\(sentence)")
            #expect(!sentence.contains("\n"))
        }
    }

    /// Parity: AF-error-where
    @Test(arguments: [
        "https://user:secret@example.org/", "https://example.org/?token=secret", "https://example.org/#t=secret",
        "user:secret@example.org", "https://user:sec/secret@example.org/",
    ])
    func showsNoSecretOfAURL(url: String) throws {
        struct Cause: Error, CustomStringConvertible {
            let description: String
        }
        let error = ApusError(.sendFailed, "why", url: url, underlying: Cause(description: "at \(url) once"))
        let wrapped = ApusError(.middlewareFailed, "why", underlying: error)
        for text in ["\(error)", error.debugDescription, error.localizedDescription, wrapped.debugDescription] {
            #expect(!text.contains("secret"), "\(text)")
        }
        #expect(error.debugDescription.contains("caused by: at "))
        #expect(error.url?.contains("secret") == false)
    }

    @Test func showsNoSecretOfATarget() throws {
        let target = try TargetURI("https://user:secret@example.org/?token=secret")
        let error = ApusError(.sendFailed, "why").about(method: .post, target: target)
        #expect(error.description == "POST https://example.org/?token=… could not be sent: why")
    }

    @Test func showsNoCredentialOfItsCause() {
        struct Cause: Error { let field = "Authorization: Bearer secret.token-1" }
        #expect(!ApusError(.sendFailed, "why", underlying: Cause()).debugDescription.contains("secret"))
    }

    /// Parity: AF-error-details
    @Test func namesExpectedTypesAndDestinations() async throws {
        let test = TestSession { _ in MockResponse(fields: [.contentType: "text/html"], body: "x") }
        let refused = test.session.request("http://h/").validate(contentType: ["image/png", "image/gif"])
        let error = try #require(await refused.serializingData().response.error)
        for word in ["text/html", "image/png", "image/gif"] { #expect(error.detail.contains(word)) }
        #expect(error.acceptableContentTypes == ["image/png", "image/gif"])
        #expect(error.responseContentType == "text/html")
        let text = await failure { try CharacterSetDecoding.string(Data([0xFF]), encoding: .utf8, contentType: nil) }
        #expect(text?.detail.contains("UTF-8") == true)
        #expect(text?.failedStringEncoding == .utf8)
        let folder = URL.temporaryDirectory
        let unwritable = await test.session.download("http://h/", to: .file(folder)).serializingURL().response.error
        #expect(unwritable?.detail.contains(folder.lastPathComponent) == true)
        #expect(unwritable?.fileURL?.path == folder.path)
        #expect(error.fileURL == nil && text?.fileURL == nil)
        #expect(unwritable?.acceptableContentTypes == nil && unwritable?.failedStringEncoding == nil)
        try await assertNothingLeft(test.session)
    }

    @Test func keepsTheFirstKnownRequest() throws {
        let first = try TargetURI("https://a/")
        let second = try TargetURI("https://b/")
        let error = ApusError(.connectFailed, "x").about(method: .get, target: first).about(
            method: .put,
            target: second
        )
        #expect(error.method == .get)
        #expect(error.url == "https://a/")
        let named = ApusError(.connectFailed, "x", url: "https://c/").about(method: .put, target: second)
        #expect(named.method == .put)
        #expect(named.url == "https://c/")
    }

    /// Parity: AF-error-response
    @Test func keepsResponseAndBody() {
        let head = HTTPResponse(status: .notFound)
        let error = ApusError(.unacceptableStatus, "x").with(response: head, data: Data("{\"id\":7}".utf8))
        #expect(error.responseCode == 404)
        #expect(error.with(response: nil).response == head)
        #expect(error.with(response: nil).data == error.data)
        #expect(ApusError(.cancelled, "x").responseCode == nil)
    }

    @Test func decodesTheBodyOfARejectedResponse() {
        struct Problem: Decodable, Equatable { let id: Int }
        let error = ApusError(.unacceptableStatus, "x")
        #expect(error.decodeData(as: Problem.self) == nil)
        #expect(error.with(response: nil, data: Data("{\"id\":7}".utf8)).decodeData(as: Problem.self) == Problem(id: 7))
        #expect(error.with(response: nil, data: Data("<html>".utf8)).decodeData(as: Problem.self) == nil)
    }

    @Test func hasValueSemantics() {
        let first = ApusError(.cancelled, "x")
        var second = first
        second.contents.detail = "y"
        #expect(first.detail == "x")
        #expect(second.detail == "y")
    }

    /// Parity: AF-error-underlying
    @Test func wrapsForeignErrors() {
        struct Fault: Error {}
        let own = ApusError(.emptyBody, "x")
        #expect(ApusError.wrapping(own) { _ in ApusError(.sendFailed, "y") }.code == .emptyBody)
        #expect(ApusError.wrapping(CancellationError()) { _ in ApusError(.sendFailed, "y") }.code == .cancelled)
        let wrapped = ApusError.wrapping(Fault()) { ApusError(.sendFailed, "y", underlying: $0) }
        #expect(wrapped.code == .sendFailed)
        #expect(wrapped.underlying is Fault)
    }
}
