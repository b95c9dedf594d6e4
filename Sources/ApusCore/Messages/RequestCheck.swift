internal import HTTPTypes

/// Decides whether a GET or HEAD may have a body, which most servers ignore and some reject: RFC 9110 §9.3.1. Default:
/// `refused`.
///
/// ```swift
/// let search = try RequestMessage("https://api.example.org/users", body: .string("name=Ada"))
/// let response = try await session.send(search, options: [GETBodyPolicy.allowed])
/// ```
public enum GETBodyPolicy: RequestOption, Hashable {
    /// Sends the body.
    case allowed
    /// Rejects the request with `invalidRequest`.
    case refused
}

/// Rejects requests that would be misread or lost on the network. Called before the chain and again after it, since
/// middleware may change the request.
enum RequestCheck {
    static func check(_ request: borrowing RequestMessage) throws(ApusError) {
        if let rejected = request.options[RejectedField.self] { throw rejected.error }
        if request.method == .connect {
            throw ApusError(.invalidRequest, "CONNECT is not supported, since it opens a tunnel; RFC 9110 §9.3.6")
        }
        guard !request.body.isNone else { return }
        if request.method == .trace {
            throw ApusError(.invalidRequest, "a TRACE request can't have a body; RFC 9110 §9.3.8")
        }
        if request.method == .get || request.method == .head, request.options[GETBodyPolicy.self] != .allowed {
            throw ApusError(
                .invalidRequest,
                "a \(request.method.rawValue) request can't have a body; send it as POST or QUERY, put it into "
                    + "the query, or allow it with the option GETBodyPolicy.allowed"
            )
        }
    }
}
