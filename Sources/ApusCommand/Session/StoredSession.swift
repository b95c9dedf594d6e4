internal import Apus
internal import ApusPlatform
internal import Foundation
internal import HTTPTypes

/// A session that outlives the command: adds stored credentials, fields and cookies to a request, and saves new ones.
///
/// The file is read once and written once as a whole. If two commands run at the same time, the last one to write wins,
/// and neither ever reads a partial file.
struct StoredSession {
    /// Prefixes of fields that belong to a single request and are not saved.
    private static let passingPrefixes = ["content-", "if-"]

    /// The cookies of the session. Cookies that servers set are added to it.
    let jar = CookieJar()
    private let name: SessionName
    private let path: String
    private let host: String
    /// Whether the request uses https.
    private let isSecure: Bool
    private let isNew: Bool
    private var document: SessionDocument
    /// The file's cookies without a domain.
    private let unbound: [SessionCookie]

    /// Reads the file, if it exists.
    ///
    /// - Parameters:
    ///   - name: The name as typed.
    ///   - plan: The request to be sent.
    ///   - console: Provides the session folder.
    /// - Throws: `CommandFault` if the file is not a valid session file, or if no file could be written.
    init(_ name: SessionName, for plan: RequestPlan, console: Console) throws(CommandFault) {
        let authority = HTTPField.Name("Host").flatMap { plan.typedFields[$0] } ?? plan.target.authority
        self.name = name
        host = plan.target.origin.host
        isSecure = plan.target.origin.scheme == .https
        path = try name.path(host: authority, console: console)
        let data: Data?
        do throws(ApusError) {
            data = try PrivateFile(URL(fileURLWithPath: path), or: .fileUnreadable).read()
        } catch {
            throw CommandFault("the file of \(name.flag) can't be used: \(error.detail)")
        }
        isNew = data == nil
        do throws(SessionFault) {
            document = if let data { try SessionDocument(data) } else { SessionDocument() }
        } catch {
            throw CommandFault(
                """
                '\(path)' is not a session file: \(error.reason); fix it, remove it, or name another one; it was not \
                changed
                """
            )
        }
        unbound = document.cookies.filter { $0.domain == nil }
        for cookie in document.cookies {
            // Drop cookies that can't be sent, or that would go to all hosts below a public suffix.
            if let cookie = cookie.cookie(boundTo: host) { try? jar.set(cookie) }
        }
        if isWritten { try checkFolder() }
        if isNew { warnAboutFormerPath(host: authority, console: console) }
    }

    /// Whether the file is written at the end if the session changed.
    private var isWritten: Bool { isNew || !name.isReadOnly }

    /// Returns the session's credentials, or `nil` if it has none. Asks for the password if only a user name is stored.
    ///
    /// - Throws: `CommandFault` if the type of the credentials is unknown, or if they were given for https and the
    ///   request uses http.
    func credentials(ask: (_ user: String) -> String?) throws(CommandFault) -> Credentials? {
        guard let authorization = document.authorization else { return nil }
        guard let scheme = Credentials.Scheme(rawValue: authorization.scheme) else {
            throw CommandFault(
                """
                '\(path)' has credentials of the type '\(authorization.scheme)', but only basic, digest and bearer \
                are supported; use --auth
                """
            )
        }
        guard isSecure || !document.isAuthorizationSecure else {
            throw unsafe("credentials that were stored", "them", remedy: "use --auth")
        }
        return try Credentials(authorization.text, scheme: scheme, ask: ask)
    }

    private func unsafe(_ secret: String, _ object: String, remedy: String) -> CommandFault {
        CommandFault(
            """
            the session '\(name.text)' has \(secret) for https, but http would send \(object) unencrypted; write \
            https:// before the host, or \(remedy)
            """
        )
    }

    /// Adds the session's fields to a request, and stores the typed fields in the session.
    ///
    /// Credentials for a proxy are not kept, since a later run may have another proxy. Those of a file that another
    /// program has written are removed.
    ///
    /// - Throws: `CommandFault` if a stored field was given for https and the request uses http.
    mutating func apply(to plan: inout RequestPlan) throws(CommandFault) {
        document.fields[.proxyAuthorization] = nil
        document.secureFields.remove(.proxyAuthorization)
        if !isSecure, let field = document.fields.first(where: { document.secureFields.contains($0.name) }),
            plan.mayBeKept(field.name)
        {
            let name = field.name.rawName
            throw unsafe("the field \(name) that was stored", "it", remedy: "leave it out with '\(name):'")
        }
        plan.add(kept: document.fields)
        if takeCookies(plan.typedFields, for: plan.target) { plan.removeCookies() }
        let typed = plan.typedFields.filter { field in
            let name = field.name.canonicalName
            return field.name != .cookie && field.name != .proxyAuthorization
                && !Self.passingPrefixes.contains { name.hasPrefix($0) }
        }
        for name in Set(typed.map(\.name)) {
            document.fields[name] = nil
            document.secureFields.remove(name)
        }
        document.fields.append(contentsOf: typed)
        if isSecure { document.secureFields.formUnion(typed.filter(Self.isCredential).map(\.name)) }
        // Credentials and an Authorization field exclude each other. The latest one typed wins.
        if plan.typedFields.contains(.authorization) { document.authorization = nil }
    }

    /// Whether a field holds a credential.
    private static func isCredential(_ field: HTTPField) -> Bool { Redaction.value(of: field) == Redaction.mark }

    /// Stores these credentials in place of the previous ones.
    mutating func keep(_ credentials: Credentials) {
        let (scheme, text) = credentials.kept
        document.authorization = SessionDocument.Authorization(scheme: scheme.rawValue, text: text)
        document.isAuthorizationSecure = isSecure
        document.fields[.authorization] = nil
        document.secureFields.remove(.authorization)
    }

    /// Puts the typed cookies into the jar for the requested host. They replace all cookies of the same names that
    /// would be sent there. Cookies typed for https are never sent over http.
    ///
    /// - Returns: Whether there is at least one and all are valid. If not, they are sent as typed and not stored.
    private func takeCookies(_ fields: HTTPFields, for target: TargetURI) -> Bool {
        var cookies: [Cookie] = []
        // Split by scalars, since a combining character forms one `Character` with the one before it.
        for pair in fields[values: .cookie].joined(separator: ";").unicodeScalars.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0).trimmed }
            guard parts.count == 2,
                let cookie = try? Cookie(name: parts[0], value: parts[1], domain: host, isSecure: isSecure)
            else { return false }
            cookies.append(cookie)
        }
        let names = Set(cookies.map(\.name))
        // `set` replaces cookies of the same domain and path itself, and keeps their position in the order.
        let others = jar.cookies(for: target).filter { cookie in
            names.contains(cookie.name) && !cookies.contains { $0.domain == cookie.domain && $0.path == cookie.path }
        }
        jar.remove { cookie in
            others.contains { $0.name == cookie.name && $0.domain == cookie.domain && $0.path == cookie.path }
        }
        for cookie in cookies { try? jar.set(cookie) }
        return !cookies.isEmpty
    }
}

extension StoredSession {
    /// Writes the session to its file, unless nothing changed or an existing session is read-only.
    ///
    /// - Throws: `CommandFault` if the file can't be written. Its previous text is then unchanged.
    func save() throws(CommandFault) {
        guard isWritten else { return }
        var document = document
        document.cookies = jar.cookies.map { cookie in
            var kept = SessionCookie(cookie)
            let isUnbound = unbound.contains { $0.cookie(boundTo: host).map { SessionCookie($0) } == kept }
            if isUnbound { kept.domain = nil }
            return kept
        }
        guard isNew || !document.isAsRead else { return }
        do throws(ApusError) {
            if !name.isFile { Self.makeFolders(of: path) }
            try PrivateFile(URL(fileURLWithPath: path), or: .fileUnwritable).write(document.data)
        } catch {
            throw CommandFault("the session was not saved: \(error.detail)")
        }
    }

    /// Warns about a file in the folder that two hosts once shared, since it may contain the other host's session.
    private func warnAboutFormerPath(host: String, console: Console) {
        guard let former = name.formerPath(host: host, console: console), access(former, F_OK) == 0 else { return }
        console.report(
            """
            the session '\(name.text)' of '\(host)' starts empty: '\(former)' may contain another host's session; if \
            it does not, move it to '\(path)'
            """
        )
    }

    /// Checks, before the request is sent, that the folder of the file can be written to.
    private func checkFolder() throws(CommandFault) {
        guard name.isFile else { return }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK) == 0 else {
            let words = FileDescriptor.Fault(number: errno).words
            throw CommandFault("the file '\(name.text)' of \(name.flag) can't be written: \(words); name another file")
        }
    }

    /// Creates the folders of a file, for their owner only. Errors surface when the file is written.
    private static func makeFolders(of path: String) {
        for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
    }
}
