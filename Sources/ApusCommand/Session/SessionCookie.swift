internal import Apus
internal import Foundation

/// A cookie as a session file has it: HTTPie's six members, and no other, which HTTPie would not take.
///
/// The domain is the host, or begins with a dot where hosts below it get the cookie too. A cookie without one goes to
/// every host in HTTPie; here it goes to the one that is asked, since a redirect may lead anywhere, and stays in the
/// file as it is.
struct SessionCookie: Equatable {
    let name: String
    let value: String
    /// `nil` is a cookie that belongs to no host.
    var domain: String?
    let path: String
    /// In seconds since 1970; `nil` is without an end, which is kept all the same.
    let expires: Double?
    let isSecure: Bool
}

extension SessionCookie {
    /// Reads one.
    ///
    /// - Parameters:
    ///   - members: What stands in the file.
    ///   - name: Its name, where that does not stand among the members, as in older files.
    /// - Returns: The cookie; `nil` for one without a value, which HTTPie takes for none.
    /// - Throws: `SessionFault` where a member is not what it should be.
    static func read(_ members: JSONObject, name: String?) throws(SessionFault) -> SessionCookie? {
        let own = try text("name", of: members)
        guard let name = name ?? own else { throw SessionFault(reason: "a cookie has no name") }
        guard let value = try text("value", of: members) else { return nil }
        var expires: Double?
        if let end = members["expires"], !end.isNull {
            guard let seconds = end.double else { throw SessionFault(reason: "the 'expires' of a cookie is no date") }
            // As far as a date can be told from any other.
            expires = min(max(seconds, -1e11), 1e11)
        }
        var isSecure = false
        if let flag = members["secure"], !flag.isNull {
            guard let flag = flag.bool else { throw SessionFault(reason: "the 'secure' of a cookie is no boolean") }
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
        guard let text = value.string else { throw SessionFault(reason: "the '\(name)' of a cookie is no string") }
        return text
    }

    /// As it stands in the file.
    var json: JSONValue {
        [
            "name": .string(name), "value": .string(value), "domain": domain.map(JSONValue.string) ?? .null,
            "path": .string(path), "expires": expires.map { JSONValue(Int64($0)) } ?? .null, "secure": .bool(isSecure),
        ]
    }
}

extension SessionCookie {
    /// What Python's cookie jar puts behind the name of a host that has no dot.
    private static let local = ".local"

    init(_ cookie: Cookie) {
        let isDotted = cookie.domain.contains(".")
        // An address of IPv6 has its brackets there.
        let bare = cookie.domain.contains(":") ? "[\(cookie.domain)]" : cookie.domain
        let host = isDotted ? cookie.domain : bare + Self.local
        name = cookie.name
        value = cookie.value
        domain = cookie.isHostOnly ? host : ".\(cookie.domain)"
        path = cookie.path
        expires = cookie.expires.map { min(max($0.timeIntervalSince1970.rounded(.down), -1e11), 1e11) }
        isSecure = cookie.isSecure
    }

    /// The cookie for a jar.
    ///
    /// - Parameter host: The host that it is bound to where it belongs to none.
    /// - Returns: The cookie; `nil` where it could not be sent.
    func cookie(boundTo host: String) -> Cookie? {
        let domain = domain.map { Self.host($0, asked: host) } ?? host
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

    /// The host that a domain of the file stands for: `web` for `web.local`, unless that one is asked itself, since Python
    /// tells them not apart.
    private static func host(_ domain: String, asked: String) -> String {
        guard domain != asked, domain.hasSuffix(local) else { return domain }
        let host = domain.dropLast(local.count)
        guard !host.isEmpty, !host.contains(".") else { return domain }
        return host.first == "[" && host.last == "]" ? String(host.dropFirst().dropLast()) : String(host)
    }
}
