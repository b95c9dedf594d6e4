internal import Apus
internal import Foundation

/// A cookie in a session file: the six members that HTTPie accepts, and no others.
///
/// The domain is the host. It begins with a dot if hosts below it receive the cookie too. HTTPie sends a cookie without
/// a domain to every host. Apus sends it only to the requested host, since a redirect may lead anywhere, and keeps it
/// unchanged in the file.
struct SessionCookie: Equatable {
    let name: String
    let value: String
    /// The domain, or `nil` for a cookie that belongs to no host.
    var domain: String?
    let path: String
    /// Seconds since 1970, or `nil` if the cookie does not expire. Cookies without an expiry are saved too.
    let expires: Double?
    let isSecure: Bool
}

extension SessionCookie {
    /// Reads a cookie.
    ///
    /// - Parameters:
    ///   - members: The members of the JSON object.
    ///   - name: The cookie's name, if it is not among the members, as in older files.
    /// - Returns: The cookie, or `nil` if it has no value. HTTPie ignores such cookies as well.
    /// - Throws: `SessionFault` if a member has the wrong type.
    static func read(_ members: JSONObject, name: String?) throws(SessionFault) -> SessionCookie? {
        let own = try text("name", of: members)
        guard let name = name ?? own else { throw SessionFault(reason: "a cookie has no name") }
        guard let value = try text("value", of: members) else { return nil }
        var expires: Double?
        if let end = members["expires"], !end.isNull {
            guard let seconds = end.double else {
                throw SessionFault(reason: "the 'expires' of a cookie is not a date")
            }
            // Stay within the range that `Date` represents precisely.
            expires = min(max(seconds, -1e11), 1e11)
        }
        var isSecure = false
        if let flag = members["secure"], !flag.isNull {
            guard let flag = flag.bool else { throw SessionFault(reason: "the 'secure' of a cookie is not a boolean") }
            isSecure = flag
        }
        let domain = try text("domain", of: members) ?? ""
        return SessionCookie(
            name: name,
            value: value,
            domain: domain.isEmpty ? nil : domain,
            path: try text("path", of: members) ?? "/",
            expires: expires,
            isSecure: isSecure
        )
    }

    private static func text(_ name: String, of members: JSONObject) throws(SessionFault) -> String? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let text = value.string else { throw SessionFault(reason: "the '\(name)' of a cookie is not a string") }
        return text
    }

    /// The cookie as JSON for the file.
    var json: JSONValue {
        [
            "name": .string(name), "value": .string(value), "domain": domain.map(JSONValue.string) ?? .null,
            "path": .string(path), "expires": expires.map { JSONValue(Int64($0)) } ?? .null, "secure": .bool(isSecure),
        ]
    }
}

extension SessionCookie {
    /// The suffix that Python's cookie jar appends to a host name without a dot.
    private static let local = ".local"

    init(_ cookie: Cookie) {
        let isDotted = cookie.domain.contains(".")
        // Python writes an IPv6 address in brackets.
        let bare = cookie.domain.contains(":") ? "[\(cookie.domain)]" : cookie.domain
        let host = isDotted ? cookie.domain : bare + Self.local
        name = cookie.name
        value = cookie.value
        domain = cookie.isHostOnly ? host : ".\(cookie.domain)"
        path = cookie.path
        expires = cookie.expires.map { min(max($0.timeIntervalSince1970.rounded(.down), -1e11), 1e11) }
        isSecure = cookie.isSecure
    }

    /// Returns the cookie for a jar.
    ///
    /// - Parameter host: The host for a cookie without a domain.
    /// - Returns: The cookie, or `nil` if it could not be sent.
    func cookie(boundTo host: String) -> Cookie? {
        let domain = domain.map { Self.host($0, requested: host) } ?? host
        return try? Cookie(
            name: name,
            value: value,
            domain: domain,
            isHostOnly: !domain.hasPrefix("."),
            path: path,
            expires: expires.map { Date(timeIntervalSince1970: $0) },
            isSecure: isSecure
        )
    }

    /// Returns the host for a domain of the file: `web` for `web.local`, unless `web.local` itself is requested. Python
    /// does not distinguish the two.
    private static func host(_ domain: String, requested: String) -> String {
        guard domain != requested, domain.hasSuffix(local) else { return domain }
        let host = domain.dropLast(local.count)
        guard !host.isEmpty, !host.contains(".") else { return domain }
        return host.first == "[" && host.last == "]" ? String(host.dropFirst().dropLast()) : String(host)
    }
}
