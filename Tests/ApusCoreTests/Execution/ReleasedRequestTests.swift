internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// A handle that is released before its request was started.
@Suite(.timeLimit(.minutes(5))) struct ReleasedRequestTests {
    private typealias Codes = LockedList<ApusError.Code?>

    private func manual() -> TestSession { TestSession.configured { $0.startRequestsImmediately = false } }

    @Test func callsItsCompletionHandlersOnce() async throws {
        let (test, codes) = (manual(), Codes())
        do {
            test.session.request("http://h/")
                .response(queue: .global()) { codes.append($0.error?.code) }
                .responseString(queue: .global()) { codes.append($0.error?.code) }
            test.session.download("http://h/", to: .temporary)
                .responseURL(queue: .global()) { codes.append($0.error?.code) }
            test.session.request("http://h/").suspend().responseJSON(queue: .global()) { codes.append($0.error?.code) }
        }
        #expect(await eventually { codes.count == 4 })
        #expect(codes.all == [.cancelled, .cancelled, .cancelled, .cancelled])
        #expect(test.transport.requests.isEmpty)
        #expect(test.monitor.events.filter { if case .finished = $0.event { true } else { false } }.count == 3)
        try await assertNothingLeft(test.session)
    }

    @Test func namesItsURL() async throws {
        let (test, texts) = (manual(), LockedList<String>())
        do {
            test.session.request("http://h/a").response(queue: .global()) { texts.append($0.error?.description ?? "") }
        }
        #expect(await eventually { texts.count == 1 })
        #expect(texts.all.first?.contains("http://h/a") == true)
        #expect(texts.all.first?.contains("released before it was sent") == true)
    }

    @Test func endsATaskThatAwaitsIt() async throws {
        let test = manual()
        let task = test.session.request("http://h/").serializingString(automaticallyCancelling: false)
        task.cancel()
        #expect(await task.response.error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func isReleasedWithItsSerializers() async throws {
        let test = manual()
        weak var released: RequestTask?
        do {
            let request = test.session.request("http://h/").responseString { _ in }
            _ = request.serializingData()
            released = request.task
            #expect(released != nil)
        }
        #expect(released == nil)
    }

    @Test func releasesValidatorsAndInterceptorsAtItsEnd() async throws {
        let test = TestSession()
        weak var released: RequestTask?
        do {
            let request = test.session.request("http://h/")
            request.validate { [request] _, _, _ in
                _ = request.state
                return .success(())
            }
            request.adapt(
                using: Adapter { [request] message, _ in
                    _ = request.state
                    return message
                }
            )
            #expect(try await request.serializingString().value == "ok")
            released = request.task
        }
        #expect(await eventually { released == nil })
        try await assertNothingLeft(test.session)
    }
}
