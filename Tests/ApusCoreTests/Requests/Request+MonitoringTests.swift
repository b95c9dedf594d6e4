internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestMonitoringTests {
    private struct Names: EventMonitor {
        let queue = DispatchQueue(label: "apus.tests.names")
        let names: LockedList<String>

        func requestDidResume(_ request: RequestSummary) { names.append("resumed") }

        func request(_ request: RequestSummary, didComplete response: ResponseSummary) {
            names.append("completed \(response.status?.code ?? 0)")
        }

        func requestDidFinish(_ request: RequestSummary) { names.append("finished") }
    }

    /// Parity: AF-life-monitor
    @Test func hasMonitorsOfItsOwn() async throws {
        let names = LockedList<String>()
        let test = TestSession { _ in MockResponse(status: 201, body: "ok") }
        let request = test.session.request("http://h/").eventMonitor(using: Names(names: names))
        _ = try await request.serializingData().value
        _ = try await test.session.request("http://h/other").serializingData().value
        #expect(await eventually { names.all == ["resumed", "completed 201", "finished"] })
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-created
    @Test func reportsTheRequestOfEachAttempt() async throws {
        let attempts = LockedList<String>()
        let test = TestSession(configuring: {
            $0.fields = [.accept: "a/b"]
            $0.interceptor = Interceptor(
                adapters: [Adapter.synchronous { $0.fields[.from] = "\($1.retryCount)" }],
                retriers: [Retrier { attempt, _ in attempt.context.retryCount < 2 ? .retry : .doNotRetry }]
            )
        }) { _ in MockResponse(status: 503) }
        let request = test.session.request("http://h/").validate()
            .onRequestCreation(on: DispatchQueue(label: "apus.tests.creation")) { message in
                attempts.append("\(message.method) \(message.fields[.from] ?? "") \(message.fields[.accept] ?? "")")
            }
        #expect(await request.serializingData().response.error?.code == .unacceptableStatus)
        #expect(await eventually { attempts.all == ["GET 0 a/b", "GET 1 a/b", "GET 2 a/b"] })
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-state-properties
    @Test func namesItsStates() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/")
        #expect(request.isInitialized && !request.isResumed)
        request.resume()
        #expect(request.isResumed && !request.isFinished)
        request.suspend()
        #expect(request.isSuspended)
        request.resume()
        barrier.open()
        #expect(await eventually { request.isFinished })
        #expect(test.session.request("http://h/").cancel().isCancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func isAMemberOfASet() {
        let session = TestSession().session
        let (one, other) = (session.request("http://h/"), session.request("http://h/"))
        #expect(Set([one, other, DataRequest(task: one.task)]).count == 2)
        let download = session.download("http://h/", to: .temporary)
        #expect(Set([download, DownloadRequest(task: download.task)]) == [download])
    }

    @Test func isCancelledByALabel() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let session = test.session
        let search = session.request("http://h/", options: [RequestLabel("search")]).resume()
        let profile = session.request("http://h/", options: [RequestLabel("profile")]).resume()
        await session.cancelAllRequests { $0.options[RequestLabel.self]?.name == "search" }
        #expect(search.isCancelled && profile.isResumed)
        barrier.open()
        #expect(await profile.serializingData().response.statusCode == 200)
        try await assertNothingLeft(session)
    }
}
