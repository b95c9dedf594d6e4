internal import Apus
internal import Foundation
internal import HTTPTypes

/// The reason why a session file is invalid. Never contains a value of the file.
struct SessionFault: Error {
    let reason: String
}

/// The JSON of a session in the format of HTTPie 3.2, so that each program can read the other's files.
///
/// ```
/// { "__meta__": …, "auth": {"type": "basic", "raw_auth": "ada:secret"},
///   "cookies": [{"name": …, "value": …, "domain": …, "path": …, "expires": …, "secure": …}],
///   "headers": [{"name": …, "value": …}] }
/// ```
///
/// Older files have objects keyed by name instead of the lists, and `username` and `password` instead of `raw_auth`.
///
/// Credentials that were given for https are listed in an extra member, which HTTPie preserves:
///
/// ```
/// { "https_only": {"auth": true, "headers": ["X-Api-Key"]} }
/// ```
struct SessionDocument {
    /// Credentials: HTTPie's name for the scheme, and the text in the form of `--auth`.
    struct Authorization: Equatable {
        let scheme: String
        let text: String
    }

    var fields = HTTPFields()
    var authorization: Authorization?
    var cookies: [SessionCookie] = []
    /// Whether `authorization` was given for https.
    var isAuthorizationSecure = false
    /// The names of the credential fields in `fields` that were given for https.
    var secureFields: Set<HTTPField.Name> = []
    /// All members of the file, including unknown ones.
    private var members = JSONObject()

    /// Creates an empty session.
    init() {}

    /// Reads a session file.
    ///
    /// - Throws: `SessionFault` if the text is not a session.
    init(_ data: Data) throws(SessionFault) {
        // The file was created but not written yet.
        guard !data.isEmpty else { return }
        do throws(ApusError) {
            let value = try JSONValue(parsing: data)
            guard let object = value.object else { throw ApusError(.decodingFailed, "it is not a JSON object") }
            members = object
        } catch {
            throw SessionFault(reason: error.detail)
        }
        let known = ["__meta__", "auth", "cookies", "headers"]
        guard members.isEmpty || members.keys.contains(where: { known.contains($0) }) else {
            throw SessionFault(reason: "it has none of the members \(known.joined(separator: ", "))")
        }
        fields = try Self.fields(members["headers"])
        authorization = try Self.authorization(members["auth"])
        cookies = try Self.cookies(members["cookies"])
        try takeSecure(members[Self.secureMember])
    }

    private static let secureMember = "https_only"

    private mutating func takeSecure(_ value: JSONValue?) throws(SessionFault) {
        guard let value, !value.isNull else { return }
        guard let members = value.object else {
            throw SessionFault(reason: "its '\(Self.secureMember)' is not an object")
        }
        isAuthorizationSecure = members["auth"]?.bool == true
        for name in members["headers"]?.array ?? [] {
            guard let name = name.string.flatMap({ HTTPField.Name($0) }) else {
                throw SessionFault(reason: "its '\(Self.secureMember)' has an invalid header name")
            }
            secureFields.insert(name)
        }
    }

    private static func fields(_ value: JSONValue?) throws(SessionFault) -> HTTPFields {
        var fields = HTTPFields()
        let members = try list(value, called: "headers")
        guard members.count <= 1000 else { throw SessionFault(reason: "it has more than 1000 'headers'") }
        for (member, name) in members {
            let content = name == nil ? member["value"] : member
            guard let name = name ?? member["name"]?.string, let content else {
                throw SessionFault(reason: "one of its 'headers' has no name, or no value")
            }
            // HTTPie writes null for a field to leave out.
            if content.isNull { continue }
            guard let text = content.string else { throw SessionFault(reason: "one of its 'headers' is not a string") }
            do throws(ApusError) {
                try fields.append(checking: name, text)
            } catch {
                throw SessionFault(reason: "in its 'headers', \(error.detail)")
            }
        }
        return fields
    }

    private static func cookies(_ value: JSONValue?) throws(SessionFault) -> [SessionCookie] {
        var cookies: [SessionCookie] = []
        for (member, name) in try list(value, called: "cookies") {
            guard let members = member.object else {
                throw SessionFault(reason: "one of its 'cookies' is not an object")
            }
            if let cookie = try SessionCookie.read(members, name: name) { cookies.append(cookie) }
        }
        return cookies
    }

    /// Returns the elements of a list, or the members of an object with their names.
    private static func list(
        _ value: JSONValue?,
        called name: String
    ) throws(SessionFault) -> [(value: JSONValue, name: String?)] {
        switch value {
        case nil, .null: []
        case .array(let elements): elements.map { ($0, nil) }
        case .object(let members): members.map { ($0.value, $0.key) }
        default: throw SessionFault(reason: "its '\(name)' is not a list")
        }
    }

    private static func authorization(_ value: JSONValue?) throws(SessionFault) -> Authorization? {
        guard let value, !value.isNull else { return nil }
        guard let members = value.object else { throw SessionFault(reason: "its 'auth' is not an object") }
        let text = { (name: String) throws(SessionFault) -> String? in
            guard let value = members[name], !value.isNull else { return nil }
            guard let text = value.string else { throw SessionFault(reason: "'\(name)' of its 'auth' is not a string") }
            return text
        }
        guard let scheme = try text("type"), !scheme.isEmpty else { return nil }
        if let raw = try text("raw_auth") { return Authorization(scheme: scheme, text: raw) }
        guard let user = try text("username") else {
            throw SessionFault(reason: "its 'auth' has neither a 'raw_auth' nor a 'username'")
        }
        return Authorization(scheme: scheme, text: try text("password").map { "\(user):\($0)" } ?? user)
    }
}

extension SessionDocument {
    /// The session as JSON, in HTTPie's latest format. Unknown members are preserved.
    var json: JSONObject {
        var members = members
        members["__meta__"] = ["about": "apus session file", "apus": .string(Command.version)]
        members["headers"] = .array(fields.map { ["name": .string($0.name.rawName), "value": .string($0.value)] })
        members["cookies"] = .array(cookies.map(\.json))
        if let authorization {
            members["auth"] = ["type": .string(authorization.scheme), "raw_auth": .string(authorization.text)]
        } else {
            members["auth"] = ["type": .null, "username": .null, "password": .null]
        }
        members[Self.secureMember] = secureJSON
        return members
    }

    /// The list of credentials that were given for https, or `nil` if there are none.
    private var secureJSON: JSONValue? {
        var members = JSONObject()
        if isAuthorizationSecure, authorization != nil { members["auth"] = true }
        let names = secureFields.filter { fields.contains($0) }.map(\.rawName).sorted()
        if !names.isEmpty { members["headers"] = .array(names.map(JSONValue.string)) }
        return members.isEmpty ? nil : .object(members)
    }

    /// Whether the session is unchanged, apart from the program that wrote it.
    var isAsRead: Bool {
        var (before, after) = (members, json)
        before["__meta__"] = nil
        after["__meta__"] = nil
        return before == after
    }

    /// The text of the file.
    var data: Data { Data((JSONValue.object(json).jsonText(prettyPrinted: true, sortedKeys: true) + "\n").utf8) }
}
