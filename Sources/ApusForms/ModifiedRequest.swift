internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// A request that is changed as it is made: by its user, and then by what fills it.
struct ModifiedRequest: RequestConvertible {
    let url: any URLConvertible
    let method: HTTPRequest.Method
    var query: [URLQueryItem] = []
    let fields: HTTPFields
    var body = RequestBody.none
    let modifier: RequestModifier?
    /// Puts in the content, or the parameters: last, each time that the request is made.
    var fill: @Sendable (inout RequestMessage) throws -> Void = { _ in }

    func asRequest() throws -> RequestMessage {
        var request = try RequestMessage(url, method: method, query: query, fields: fields, body: body)
        try modifier?(&request)
        try fill(&request)
        return request
    }
}
