internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DataTaskTests {
    private struct User: Decodable, Equatable, Sendable { let name: String }

    private struct Problem: Decodable, Equatable, Sendable { let title: String }

    private func failure(
        _ response: MockResponse,
        decoder: any DataDecoder = JSONDecoder(),
        _ shape: (DataRequest) -> DataRequest = { $0.validate() }
    ) async -> ServiceFailure<Problem>? {
        let test = TestSession { _ in response }
        let task = shape(test.session.request("http://h/")).serializingDecodable(User.self)
        do {
            let user = try await task.value(orThrowing: Problem.self, decoder: decoder)
            #expect(user == User(name: "Ada"))
            return nil
        } catch {
            // No cast is needed, because the error is typed.
            return error
        }
    }

    @Test func returnsTheValue() async {
        #expect(await failure(MockResponse(body: #"{"name":"Ada"}"#)) == nil)
    }

    @Test func throwsTheDecodedErrorOfTheService() async throws {
        let refusal = try #require(await failure(MockResponse(status: .conflict, body: #"{"title":"taken"}"#)))
        guard case .refused(let problem, let error) = refusal else { throw refusal }
        #expect(problem == Problem(title: "taken"))
        #expect(error.code == .unacceptableStatus)
        #expect(error.responseCode == 409)
        #expect(refusal.error.code == .unacceptableStatus)
    }

    @Test func decodesTheErrorWithACustomDecoder() async throws {
        let list = "<plist version=\"1.0\"><dict><key>title</key><string>taken</string></dict></plist>"
        let response = MockResponse(status: .conflict, body: list)
        guard case .refused(let problem, _)? = await failure(response, decoder: PropertyListDecoder()) else {
            Issue.record("no explanation")
            return
        }
        #expect(problem == Problem(title: "taken"))
        if case .refused? = await failure(response) { Issue.record("JSON was found in it") }
    }

    static let others: [(status: Int, body: String, code: ApusError.Code)] = [
        // Rejected, but the body is not an error that decodes.
        (409, "", .unacceptableStatus), (409, "<html>", .unacceptableStatus), (409, "{}", .unacceptableStatus),
        // Not rejected, so a body that looks like an error is not decoded as one.
        (200, #"{"title":"x"}"#, .decodingFailed), (200, "", .emptyBody),
    ]

    /// Parity: AF-error-as
    @Test(arguments: others)
    func throwsOtherErrorsUnchanged(row: (status: Int, body: String, code: ApusError.Code)) async throws {
        let failure = try #require(await failure(MockResponse(status: .init(code: row.status), body: row.body)))
        guard case .failed(let error) = failure else { throw failure }
        #expect(error.code == row.code)
        #expect(failure.error.code == row.code)
    }

    @Test func decodesTheErrorWhicheverValidatorRejected() async throws {
        struct Fault: Error {}
        let response = MockResponse(fields: [.contentType: "text/html"], body: #"{"title":"taken"}"#)
        let shapes: [(DataRequest) -> DataRequest] = [
            { $0.validate(contentType: ["image/*"]) }, { $0.validate(statusCode: [201]) },
            { $0.validate { _, _, _ in .failure(Fault()) } },
        ]
        for shape in shapes {
            guard case .refused(let problem, _)? = await failure(response, shape) else {
                Issue.record("no explanation")
                continue
            }
            #expect(problem == Problem(title: "taken"))
        }
    }

    @Test func reportsACancellation() async throws {
        let test = TestSession()
        let task = test.session.request("http://h/").cancel().serializingDecodable(User.self)
        await #expect(throws: ServiceFailure<Problem>.self) { try await task.value(orThrowing: Problem.self) }
        let failure = ServiceFailure<Problem>(try #require(await task.response.error))
        if case .refused = failure { Issue.record("explained") }
        #expect(failure.error.isCancelled)
    }
}
