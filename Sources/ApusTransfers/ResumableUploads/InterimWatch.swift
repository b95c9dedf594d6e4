internal import ApusCore
internal import Dispatch
internal import HTTPTypes

/// Watches the interim responses of one request of an upload while it is sent.
///
/// Only the last exchange of a request counts: an earlier one has ended with a redirect or a challenge. The watch works
/// on a copy of the machine. The machine itself takes the interim responses when the request has ended, from its
/// metrics, since events may come late.
final class InterimWatch: EventMonitor {
    private struct State {
        var machine: ResumableUploadStateMachine
        var origin: Origin?
        var target: TargetURI?
    }

    let queue = DispatchQueue(label: "apus.resumable-upload")
    private let original: ResumableUploadStateMachine
    private let report: @Sendable (ResumableUploadStateMachine) -> Void
    private let state: Lock<State>

    /// - Parameters:
    ///   - machine: The machine of the upload, before the request.
    ///   - report: Called with the machine after each interim response with the status 104.
    init(_ machine: ResumableUploadStateMachine, report: @escaping @Sendable (ResumableUploadStateMachine) -> Void) {
        self.original = machine
        self.report = report
        self.state = Lock(State(machine: machine))
    }

    var latency: Duration { .zero }

    var bodyPrefixBytes: Int { 0 }

    func request(_ request: RequestSummary, did event: RequestEvent) {
        switch event {
        case .exchangeBegan(let message, _):
            let target = message.target
            state.withLock { state in
                state.machine = original
                state.target = target
                if state.origin == nil { state.origin = target.origin }
            }
        case .informational(let response) where response.status.code == 104:
            let fields = response.headerFields
            let machine = state.withLock { state -> ResumableUploadStateMachine? in
                guard let target = state.target, let origin = state.origin else { return nil }
                state.machine.note(fields, from: target, of: origin)
                return state.machine
            }
            if let machine { report(machine) }
        default:
            break
        }
    }
}
