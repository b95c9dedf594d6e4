internal import Foundation
package import HTTPTypes

/// Adds the fields that a session gives each request, unless the request has them; asks for coded content where that is
/// decoded; and turns the user name and password of a URL into Basic credentials.
///
/// It asks unless the request or the session has an `Accept-Encoding` of its own, or a `Range`, whose bytes would be those
/// of the coded content. See RFC 9110 §12.5.3, https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.3
package final class DefaultFields: PromptMiddleware {
    private let fields: HTTPFields
    private let fieldsAsking: HTTPFields
    /// A request that has one of these has its own values for it, and those alone.
    private let names: [HTTPField.Name]
    private let decoding: ContentDecoding?

    /// - Parameters:
    ///   - fields: What each request gets.
    ///   - decoding: Whether content is decoded for requests that do not say otherwise; `nil`, the default, where the
    ///     transport sees to that.
    package init(_ fields: HTTPFields, decoding: ContentDecoding? = nil) {
        self.fields = fields
        self.names = fields.map(\.name)
        self.decoding = decoding
        // Here and not by the link that decodes: to add one field to the shared ones copies all of them.
        var asking = fields
        if fields.asksForNoCoding { asking.append(.supportedCodings) }
        self.fieldsAsking = asking
    }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) throws {
        let shared = asks(for: request.fields, context) ? fieldsAsking : fields
        request.fields = request.fields.isEmpty ? shared : added(shared, to: request.fields)
        if let user = request.target.userInformation, !request.fields.contains(.authorization) {
            request.fields.append(try .authorization(username: user.user, password: user.password))
        }
    }

    private func asks(for own: HTTPFields, _ context: RequestContext) -> Bool {
        guard let decoding, (context[ContentDecoding.self] ?? decoding) == .automatic else { return false }
        return own.asksForNoCoding
    }

    /// The shared fields that the request lacks, and behind them its own: those are fewer, and to put one behind others
    /// costs more than to copy all that are there.
    private func added(_ shared: HTTPFields, to own: HTTPFields) -> HTTPFields {
        var all = shared
        // The cookies are one field more.
        all.reserveCapacity(shared.count + own.count + 1)
        for name in names where own.has(name) { all[fields: name] = [] }
        for field in own { all.append(field) }
        return all
    }
}

extension HTTPFields {
    /// Whether the codings that the library decodes may be asked for as well.
    package var asksForNoCoding: Bool { !has(.acceptEncoding) && !has(.range) }
}

extension HTTPField {
    package static let supportedCodings = HTTPField(name: .acceptEncoding, value: "gzip, deflate")
}

/// The value of an `Authorization` field for the Basic scheme, RFC 7617, in UTF-8.
package enum BasicCredentials {
    package static func value(user: String, password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
