public import HTTPTypes

/// A request as monitors see it: its number, its label, and its method and target once it is built.
///
/// ```swift
/// var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "watching"))
/// monitor.requestDidResume = { request in print("Resuming: \(request)") }
/// ```
///
/// The method and the target are those of the first attempt, after its adapters. They stay the same in the events of
/// retries and redirects, which have the changed ones in their own values. Copying a summary costs a pointer.
public struct RequestSummary: Sendable, Identifiable {
    /// Shared by the events of a request.
    final class Details: Sendable {
        let label: String?
        let method: HTTPRequest.Method?
        let target: TargetURI?

        init(label: String?, method: HTTPRequest.Method? = nil, target: TargetURI? = nil) {
            self.label = label
            self.method = method
            self.target = target
        }

        /// Whether a message has this method and this target.
        func describes(_ message: borrowing RequestMessage) -> Bool {
            method == message.method && target == message.target
        }
    }

    /// Identifies the request in logs and events, the same for all its attempts and exchanges.
    public let id: RequestID

    private let details: Details?

    /// `details` is `nil` for a request without a label that is not built yet.
    init(id: RequestID, details: Details?) {
        self.id = id
        self.details = details
    }

    /// Creates a summary.
    package init(
        id: RequestID,
        method: HTTPRequest.Method? = nil,
        target: TargetURI? = nil,
        label: String? = nil
    ) {
        self.init(id: id, details: Details(label: label, method: method, target: target))
    }

    /// The label of the request, which a ``RequestLabel`` sets. Default: `nil`.
    public var label: String? { details?.label }

    /// The method. `nil` before the request is built.
    public var method: HTTPRequest.Method? { details?.method }

    /// The target. `nil` before the request is built.
    public var target: TargetURI? { details?.target }

    /// Returns the description of the request with another message of it, for example that of a redirect.
    func description(of message: RequestMessage) -> String { "\(message) (\(name))" }

    /// The number, and the label if there is one.
    private var name: String { label.map { "\(id), \($0)" } ?? "\(id)" }
}

extension RequestSummary: CustomStringConvertible {
    /// Method, URI, number and label, without secrets: `GET https://example.org/a?token=… (3)`.
    public var description: String {
        guard let method, let target else { return "request (\(name))" }
        return "\(method.rawValue) \(target) (\(name))"
    }
}
