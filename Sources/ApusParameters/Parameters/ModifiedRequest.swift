internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// A request that is modified each time it is created: by the user's modifier, then by `fill`.
struct ModifiedRequest: ModifiableRequest {
    let url: any URLConvertible
    let method: HTTPRequest.Method
    var query: [URLQueryItem] = []
    let fields: RequestFields
    var body = RequestBody.none
    let modifier: RequestModifier?
    /// Sets the body or the parameters. Called last, each time the request is created.
    var fill: @Sendable (inout RequestMessage) throws -> Void = { _ in }

    func asRequest(with options: RequestOptions, relativeTo base: TargetURI?) throws -> RequestMessage {
        var request = try RequestMessage(
            url,
            relativeTo: base,
            method: method,
            query: query,
            fields: fields,
            body: body,
            options: options
        )
        try modifier?(&request)
        try fill(&request)
        return request
    }
}
