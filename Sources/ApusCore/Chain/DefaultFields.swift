internal import Foundation
package import HTTPTypes

/// Adds the fields that a session gives each request, unless the request has them, and turns the user name and
/// password of a URL into Basic credentials.
package struct DefaultFields: PromptMiddleware {
    private let fields: HTTPFields
    /// A request that has one of these has its own values for it, and those alone.
    private let names: [HTTPField.Name]

    package init(_ fields: HTTPFields) {
        self.fields = fields
        self.names = fields.map(\.name)
    }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) throws {
        if request.fields.isEmpty {
            request.fields = fields
        } else {
            request.fields = added(to: request.fields)
        }
        if let user = request.target.userInformation, !request.fields.contains(.authorization) {
            request.fields.append(try .authorization(username: user.user, password: user.password))
        }
    }

    /// The session's fields that the request lacks, and behind them its own: those are fewer, and to put one behind others
    /// costs more than to copy all that are there.
    private func added(to own: HTTPFields) -> HTTPFields {
        var all = fields
        for name in names where own.contains(name) { all[fields: name] = [] }
        for field in own { all.append(field) }
        return all
    }
}

/// The value of an `Authorization` field for the Basic scheme, RFC 7617, in UTF-8.
package enum BasicCredentials {
    package static func value(user: String, password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
