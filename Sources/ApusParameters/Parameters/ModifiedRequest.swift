internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// A request that is modified each time it is created: by the user's modifier, then by `fill`.
struct ModifiedRequest: RequestConvertible {
    let url: any URLConvertible
    let method: HTTPRequest.Method
    var query: [URLQueryItem] = []
    let fields: HTTPFields
    var body = RequestBody.none
    let modifier: RequestModifier?
    /// Sets the body or the parameters. Called last, each time the request is created.
    var fill: @Sendable (inout RequestMessage) throws -> Void = { _ in }

    func asRequest() throws -> RequestMessage {
        var request = try RequestMessage(url, method: method, query: query, fields: fields, body: body)
        try modifier?(&request)
        try fill(&request)
        return request
    }
}
