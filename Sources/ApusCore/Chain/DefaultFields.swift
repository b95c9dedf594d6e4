internal import Foundation
package import HTTPTypes

/// Adds the fields that a session gives each request, unless the request has them, and turns the user name and
/// password of a URL into Basic credentials.
package struct DefaultFields: Middleware {
    private let fields: HTTPFields
    /// By name, since a request that has a name has its own values for it, and those alone.
    private let byName: [[HTTPField]]

    package init(_ fields: HTTPFields) {
        self.fields = fields
        var byName: [[HTTPField]] = []
        for field in fields {
            if let group = byName.firstIndex(where: { $0[0].name == field.name }) {
                byName[group].append(field)
            } else {
                byName.append([field])
            }
        }
        self.byName = byName
    }

    package func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        if request.fields.isEmpty {
            request.fields = fields
        } else {
            add(to: &request.fields)
        }
        if let user = request.target.userInformation, !request.fields.contains(.authorization) {
            request.fields.append(try .authorization(username: user.user, password: user.password))
        }
        return try await next(request, context: context)
    }

    private func add(to own: inout HTTPFields) {
        // Room for what others add on the way, too.
        own.reserveCapacity(own.count + fields.count + 2)
        let missing = byName.count { !own.contains($0[0].name) }
        if missing == byName.count {
            own.append(contentsOf: fields)
        } else if missing > 0 {
            for group in byName where !own.contains(group[0].name) { own.append(contentsOf: group) }
        }
    }
}

/// The value of an `Authorization` field for the Basic scheme, RFC 7617, in UTF-8.
package enum BasicCredentials {
    package static func value(user: String, password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
