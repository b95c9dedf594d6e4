import Apus
import ApusTestServer
import Dispatch
import Foundation
import HTTPTypes

/// A request of a stress test, and the moment of its cancellation.
struct StressRequest: Sendable {
    enum Moment: Sendable {
        case never
        case beforeTheStart
        /// After some turns of other tasks: queued, sending or receiving.
        case atAnyStage
        case whenTriggered
        /// When the first bytes of the response's body have arrived. Without a handle, the rest is discarded then.
        case whileReceiving
        /// Without a handle, never.
        case inASerializer
        case afterTheEnd
    }

    enum Outcome: Sendable {
        /// A success, with the whole body of the response.
        case body(Data)
        /// A success, without the body.
        case success
        case failure(ApusError)

        init(_ result: Result<Data, ApusError>) {
            switch result {
            case .success(let data): self = .body(data)
            case .failure(let error): self = .failure(error)
            }
        }

        /// The error's code, or `nil` for a success.
        var code: ApusError.Code? {
            if case .failure(let error) = self { error.code } else { nil }
        }
    }

    let message: RequestMessage
    let form: Form
    let moment: Moment
    /// The number of turns of other tasks before a cancellation at any stage.
    let yieldCount: Int
    let trigger: Trigger

    /// Sends the request, and calls `record` each time that it completes. Returns after that.
    func perform(on session: Session, record: @escaping @Sendable (Outcome) -> Void) async {
        if form == .handle {
            await performByHandle(session, record)
        } else {
            await performDirectly(session, record)
        }
        trigger.clear()
    }

    // MARK: Without a handle

    private func performDirectly(_ session: Session, _ record: @escaping @Sendable (Outcome) -> Void) async {
        let isArmed = Gate()
        let task = Task {
            if moment == .beforeTheStart { await Gate().wait() }
            if moment == .whenTriggered { await isArmed.wait() }
            record(await outcome(session))
        }
        switch moment {
        case .never, .whileReceiving, .inASerializer: break
        case .beforeTheStart: task.cancel()
        case .whenTriggered:
            trigger.set { task.cancel() }
            isArmed.open()
        case .atAnyStage:
            for _ in 0..<yieldCount { await Task.yield() }
            task.cancel()
        case .afterTheEnd:
            await task.value
            task.cancel()
        }
        await task.value
    }

    private func outcome(_ session: Session) async -> Outcome {
        guard moment == .whileReceiving else { return Outcome(await form.outcome(of: message, on: session)) }
        // Reads the first chunk of the body and discards the rest.
        do throws(ApusError) {
            let response = try await session.stream(message)
            for try await _ in response.body { break }
            return .success
        } catch {
            return .failure(error)
        }
    }

    // MARK: With a handle

    private struct CancellingSerializer: ResponseSerializer {
        let request: DataRequest

        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Int {
            self.request.cancel()
            return data.count
        }
    }

    private func performByHandle(_ session: Session, _ record: @escaping @Sendable (Outcome) -> Void) async {
        let request = session.request(message)
        let isOver = Gate()
        if moment == .beforeTheStart { request.cancel() }
        if moment == .whenTriggered { trigger.set { request.cancel() } }
        if moment == .whileReceiving { request.downloadProgress(queue: .global()) { _ in request.cancel() } }
        let complete = { @Sendable (outcome: Outcome) in
            record(outcome)
            isOver.open()
        }
        if moment == .inASerializer {
            let serializer = CancellingSerializer(request: request)
            request.response(queue: .global(), responseSerializer: serializer) { response in
                if let error = response.error { complete(.failure(error)) } else { complete(.success) }
            }
        } else {
            request.response(queue: .global()) { response in
                complete(Outcome(response.result.map { (data: Data?) -> Data in data ?? Data() }))
            }
        }
        if moment == .atAnyStage {
            for _ in 0..<yieldCount { await Task.yield() }
            request.cancel()
        }
        await isOver.wait()
        if moment == .afterTheEnd { request.cancel() }
    }
}
