internal import HTTPTypes

/// Whether a GET or HEAD may have content, which most servers ignore and some refuse: RFC 9110 §9.3.1. It may not,
/// unless its request says so.
///
/// ```swift
/// let search = try RequestMessage("https://api.example.org/users", body: .string("name=Ada"))
/// let answer = try await session.send(search, options: [ContentInGET.allowed])
/// ```
public enum ContentInGET: RequestOption, Hashable {
    /// The content is sent.
    case allowed
    /// The request is refused.
    case refused
}

/// What would be misread or lost on its way, and so is refused: before the chain, and once more behind it, since
/// middleware may change what is sent.
enum RequestRules {
    static func check(_ request: borrowing RequestMessage, _ context: RequestContext) throws(ApusError) {
        if request.method == .connect {
            throw ApusError(.invalidRequest, "CONNECT makes a tunnel, which is no request; RFC 9110 §9.3.6")
        }
        guard !request.body.isNone else { return }
        if request.method == .trace {
            throw ApusError(.invalidRequest, "a TRACE has no content; RFC 9110 §9.3.8")
        }
        if request.method == .get || request.method == .head, context[ContentInGET.self] != .allowed {
            throw ApusError(
                .invalidRequest,
                "a \(request.method.rawValue) has no content; send it as POST or QUERY, put it into the query, "
                    + "or allow it with the option ContentInGET.allowed"
            )
        }
    }
}
