internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct ValidationTests {
    private struct Fault: Error {}

    private let request: RequestMessage
    private let record: ExchangeRecord

    init() throws {
        request = RequestMessage(target: try TargetURI("http://h/"), fields: [.accept: "application/json"])
        record = ExchangeRecord(method: .get, target: request.target, cause: .first, begin: .now)
    }

    private func response(_ status: Int, _ type: String? = nil, body: String = "x") -> ResponseMessage {
        var fields = HTTPFields()
        fields[.contentType] = type
        return ResponseMessage(
            status: HTTPResponse.Status(code: status),
            fields: fields,
            body: .whole(BodyChunk(body)),
            record: record
        )
    }

    private func refusal(_ validators: [Validator], of response: ResponseMessage) -> ApusError? {
        var validation = Validation()
        for validator in validators { validation.append(validator) }
        return validation.refusal(of: response, to: request)
    }

    @Test func acceptsEveryResponseByDefault() {
        #expect(refusal([], of: response(500)) == nil)
        #expect(!Validation.none.hasBodyStage)
        #expect(Validation.none.isEmpty)
    }

    /// Parity: AF-validate
    @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (404, false), (500, false)])
    func acceptsStatusesOfARange(status: Int, isAccepted: Bool) {
        let refusal = refusal([.status(200..<300)], of: response(status))
        #expect(refusal?.code == (isAccepted ? nil : .unacceptableStatus))
        #expect(refusal?.detail.contains("\(status)") != false)
    }

    @Test func acceptsStatusesOfAnySequence() {
        let validator = Validator.statusIn { [200, 404].contains($0) }
        #expect(refusal([validator], of: response(404)) == nil)
        #expect(refusal([validator], of: response(201))?.code == .unacceptableStatus)
    }

    /// Parity: AF-validate-accept
    @Test func comparesTheContentTypeWithTheAcceptField() {
        #expect(refusal([.contentType(nil)], of: response(200, "application/json")) == nil)
        #expect(refusal([.contentType(nil)], of: response(200, "text/html"))?.code == .unacceptableContentType)
        #expect(refusal([.contentType(nil)], of: response(200))?.code == .missingContentType)
    }

    /// Parity: AF-validate-type
    @Test func comparesTheContentTypeWithACustomList() {
        #expect(refusal([.contentType { ["text/*"] }], of: response(200, "text/html")) == nil)
        #expect(
            refusal([.contentType { ["text/*"] }], of: response(200, "image/png"))?.code == .unacceptableContentType
        )
    }

    /// Parity: AF-validate-empty
    @Test func acceptsAnEmptyBodyOfAnyType() {
        #expect(refusal([.contentType(nil)], of: response(200, "text/html", body: "")) == nil)
        #expect(refusal([.contentType(nil)], of: response(200, nil, body: "")) == nil)
    }

    /// Parity: AF-validate-order, AF-error-validation
    @Test func reportsTheFirstRejectionInTheOrderOfAdding() {
        let status = Validator.status(200..<300)
        let type = Validator.contentType(nil)
        #expect(refusal([status, type], of: response(500, "text/html"))?.code == .unacceptableStatus)
        #expect(refusal([type, status], of: response(500, "text/html"))?.code == .unacceptableContentType)
    }

    @Test func defersValidatorsThatNeedTheBody() {
        var validation = Validation()
        validation.append(
            .custom { _, head, data in head.status == .ok && data.count == 1 ? .success(()) : .failure(Fault()) }
        )
        #expect(validation.refusal(of: response(500), to: request) == nil)
        #expect(validation.hasBodyStage)
        #expect(validation.refusal(of: HTTPResponse(status: .ok), content: .memory(Data([1])), to: request) == nil)
        let refusal = validation.refusal(of: HTTPResponse(status: .ok), content: .memory(Data()), to: request)
        #expect(refusal?.code == .validationFailed)
        #expect(refusal?.underlying is Fault)
    }

    @Test func keepsAnApusErrorUnchanged() {
        var validation = Validation()
        validation.append(.custom { _, _, _ in .failure(ApusError(.emptyBody, "mine")) })
        #expect(
            validation.refusal(of: HTTPResponse(status: .ok), content: .memory(Data()), to: request)?.code == .emptyBody
        )
    }

    /// Parity: AF-validate-order
    @Test func skipsLaterBodyValidatorsAfterARejection() {
        var validation = Validation()
        validation.append(.custom { _, _, _ in .failure(Fault()) })
        validation.append(
            .custom { _, _, _ in
                Issue.record("called after a rejection")
                return .success(())
            }
        )
        #expect(validation.refusal(of: HTTPResponse(status: .ok), content: .memory(Data()), to: request) != nil)
    }
}
