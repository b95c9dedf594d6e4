internal import Foundation
package import HTTPTypes

/// Adds the session's fields to each request that lacks them. Requests content codings if responses are decoded. Turns
/// the user name and password of a URL into Basic credentials, and a `ResponsePriority` into a `Priority`. Announces
/// trailer fields that are known in advance.
///
/// No codings are requested if the request or the session has an `Accept-Encoding` or a `Range`, since a range of an
/// encoded response counts encoded bytes. See RFC 9110 §12.5.3, https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.3
package final class DefaultFieldsMiddleware: SynchronousMiddleware {
    private let fields: HTTPFields
    private let fieldsWithCodings: HTTPFields
    /// A request that has a field with one of these names keeps only its own values for it.
    private let names: [HTTPField.Name]
    private let decoding: ContentDecoding?

    /// - Parameters:
    ///   - fields: The fields of each request.
    ///   - decoding: Whether responses are decoded unless a request's options say otherwise. `nil` if the transport
    ///     decodes them. Default: `nil`.
    package init(_ fields: HTTPFields, decoding: ContentDecoding? = nil) {
        self.fields = fields
        self.names = fields.map(\.name)
        self.decoding = decoding
        // Added here and not by the link that decodes: adding one field to the shared ones copies them all.
        var withCodings = fields
        if fields.allowsCodings { withCodings.append(.supportedCodings) }
        self.fieldsWithCodings = withCodings
    }

    package func prepare(_ request: inout RequestMessage, context: RequestContext) throws {
        let shared = requestsCodings(for: request) ? fieldsWithCodings : fields
        request.fields = request.fields.isEmpty ? shared : added(shared, to: request.fields)
        if !request.options.isEmpty { addPriority(to: &request) }
        if request.body.hasTrailers { try announceTrailers(of: &request) }
        if let user = request.target.userInformation, !request.fields.contains(.authorization) {
            request.fields.append(try .authorization(username: user.user, password: user.password))
        }
    }

    private func addPriority(to request: inout RequestMessage) {
        guard let value = request.options[ResponsePriority.self]?.fieldValue, !value.isEmpty,
            !request.fields.has(.priority)
        else { return }
        request.fields.append(HTTPField(name: .priority, value: value))
    }

    /// Announces the trailer fields that are known before the body is read, RFC 9110 §6.6.2.
    private func announceTrailers(of request: inout RequestMessage) throws(ApusError) {
        guard let trailers = try request.body.trailerMaker?.known?.checked() else { return }
        var (names, known): ([HTTPField.Name], Set<HTTPField.Name>) = ([], [])
        for field in trailers where known.insert(field.name).inserted { names.append(field.name) }
        guard !names.isEmpty, !request.fields.has(.trailer) else { return }
        request.fields.append(HTTPField(name: .trailer, value: names.map(\.rawName).joined(separator: ", ")))
    }

    private func requestsCodings(for request: borrowing RequestMessage) -> Bool {
        guard let decoding, (request.options[ContentDecoding.self] ?? decoding) == .automatic else { return false }
        return request.fields.allowsCodings
    }

    /// Returns the shared fields that the request lacks, followed by its own. Its own are usually fewer, and
    /// appending one field costs more than copying all shared ones.
    private func added(_ shared: HTTPFields, to own: HTTPFields) -> HTTPFields {
        var all = shared
        // A Cookie field may be added later.
        all.reserveCapacity(shared.count + own.count + 1)
        for name in names where own.has(name) { all[fields: name] = [] }
        for field in own { all.append(field) }
        return all
    }
}

extension HTTPFields {
    /// Whether the fields allow requesting the codings that the library decodes.
    package var allowsCodings: Bool { !has(.acceptEncoding) && !has(.range) }
}

extension HTTPField {
    package static let supportedCodings = HTTPField(name: .acceptEncoding, value: "gzip, deflate")
}

/// Makes the value of an `Authorization` field for the Basic scheme, RFC 7617, in UTF-8.
package enum BasicCredentials {
    package static func value(user: String, password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
