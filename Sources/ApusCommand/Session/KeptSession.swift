internal import Apus
internal import Foundation
internal import HTTPTypes

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A session that outlives the command: what its file has kept, on its way into a request and back.
///
/// The file is read once, and written once as a whole. Of two commands that run at the same time the last one wins, and
/// neither ever finds half of a file.
struct KeptSession {
    /// Fields that are each request's own.
    private static let passingPrefixes = ["content-", "if-"]

    /// The cookies of the session, open for those that servers set.
    let jar = CookieJar()
    private let name: SessionName
    private let path: String
    private let host: String
    /// Whether the request goes by https.
    private let isSecure: Bool
    private let isNew: Bool
    private var document: SessionDocument
    /// The cookies that belong to no host.
    private let unbound: [SessionCookie]

    /// Reads the file, where there is one.
    ///
    /// - Parameters:
    ///   - name: What was typed.
    ///   - plan: The request that it is for.
    ///   - console: Knows the folders.
    /// - Throws: `CommandFault` where there is a file that is no session's, or none could be written.
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
            throw CommandFault("\(name.flag) names a file that can't be used, \(error.detail)")
        }
        isNew = data == nil
        do throws(SessionFault) {
            document = if let data { try SessionDocument(data) } else { SessionDocument() }
        } catch {
            throw CommandFault(
                """
                '\(path)' is no session file: \(error.reason); mend it, take it away, or name another one; it was left \
                as it is
                """
            )
        }
        unbound = document.cookies.filter { $0.domain == nil }
        for cookie in document.cookies {
            // What can't be sent, or is for all hosts below a public suffix, is not for keeping either.
            if let cookie = cookie.cookie(boundTo: host) { try? jar.set(cookie) }
        }
        if isWritten { try checkFolder() }
        if isNew { tellOfFormerPath(host: authority, console: console) }
    }

    /// Whether the file is written at the end, if anything is new.
    private var isWritten: Bool { isNew || !name.isReadOnly }

    /// What proves who asks, if the session knows; asked for a password where it knows a name alone.
    ///
    /// - Throws: `CommandFault` where the command does not know such credentials, or they were given for https and the
    ///   request goes by http.
    func credentials(ask: (_ user: String) -> String?) throws(CommandFault) -> Credentials? {
        guard let authorization = document.authorization else { return nil }
        guard let scheme = Credentials.Scheme(rawValue: authorization.scheme) else {
            throw CommandFault(
                """
                '\(path)' has credentials of the type '\(authorization.scheme)', and basic, digest and bearer are \
                known; say who asks with --auth
                """
            )
        }
        guard isSecure || !document.isAuthorizationSecure else {
            throw unsafe("credentials that were given", "them", remedy: "say who asks with --auth")
        }
        return try Credentials(authorization.text, scheme: scheme, ask: ask)
    }

    private func unsafe(_ what: String, _ object: String, remedy: String) -> CommandFault {
        CommandFault(
            """
            the session '\(name.text)' has \(what) for https, and http would send \(object) in the clear; write \
            https:// ahead of the host, or \(remedy)
            """
        )
    }

    /// Adds what was kept to a request, and takes up what was typed.
    ///
    /// - Throws: `CommandFault` where a field was given for https and the request goes by http.
    mutating func apply(to plan: inout RequestPlan) throws(CommandFault) {
        if !isSecure, let field = document.fields.first(where: { document.secureFields.contains($0.name) }),
            plan.mayBeKept(field.name)
        {
            let name = field.name.rawName
            throw unsafe("the field \(name) that was given", "it", remedy: "leave it out with '\(name):'")
        }
        plan.add(kept: document.fields)
        if takeCookies(plan.typedFields, for: plan.target) { plan.removeCookies() }
        let typed = plan.typedFields.filter { field in
            let name = field.name.canonicalName
            return field.name != .cookie && !Self.passingPrefixes.contains { name.hasPrefix($0) }
        }
        for name in Set(typed.map(\.name)) {
            document.fields[name] = nil
            document.secureFields.remove(name)
        }
        document.fields.append(contentsOf: typed)
        if isSecure { document.secureFields.formUnion(typed.filter(Self.isCredential).map(\.name)) }
        // One of the two says who asks: that which was typed last.
        if plan.typedFields.contains(.authorization) { document.authorization = nil }
    }

    /// Whether the name of a field is that of a credential.
    private static func isCredential(_ field: HTTPField) -> Bool { Redaction.value(of: field) == Redaction.mark }

    /// Keeps what proves who asks, in place of what did.
    mutating func keep(_ credentials: Credentials) {
        let (scheme, text) = credentials.kept
        document.authorization = SessionDocument.Authorization(scheme: scheme.rawValue, text: text)
        document.isAuthorizationSecure = isSecure
        document.fields[.authorization] = nil
        document.secureFields.remove(.authorization)
    }

    /// Puts the cookies that were typed into the jar, for the host that is asked, in place of all of their names that
    /// would go there. Those that were typed for https are never sent by http.
    ///
    /// - Returns: Whether there were any, and each of them is one; else they are sent as they were typed, and not kept.
    private func takeCookies(_ fields: HTTPFields, for target: TargetURI) -> Bool {
        var cookies: [Cookie] = []
        // By scalars: a combining character makes one character with what is ahead of it.
        for pair in fields[values: .cookie].joined(separator: ";").unicodeScalars.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0).trimmed }
            guard parts.count == 2,
                let cookie = try? Cookie(name: parts[0], value: parts[1], domain: host, isSecure: isSecure)
            else { return false }
            cookies.append(cookie)
        }
        let names = Set(cookies.map(\.name))
        // Those of the same place give way by themselves, and leave theirs in the order to what is new.
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

extension KeptSession {
    /// Writes what is new into the file; nothing where nothing is, or where the session is to be read only.
    ///
    /// - Throws: `CommandFault` where it can't be written; what was in the file before is still there.
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
            throw CommandFault("the session was not kept: \(error.detail)")
        }
    }

    /// Tells of a file in the folder that two hosts had in common: it may belong to the other host.
    private func tellOfFormerPath(host: String, console: Console) {
        guard let former = name.formerPath(host: host, console: console), access(former, F_OK) == 0 else { return }
        console.tell(
            """
            the session '\(name.text)' of '\(host)' begins anew: '\(former)' may be that of another host's port; if it is \
            not, move it to '\(path)'
            """
        )
    }

    /// Whether a file could be made there, before anything is sent.
    private func checkFolder() throws(CommandFault) {
        guard name.isFile else { return }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK) == 0 else {
            let words = FileDescriptor.Fault(number: errno).words
            throw CommandFault("\(name.flag) names '\(name.text)', which can't be written: \(words); name another file")
        }
    }

    /// Makes the folders that a file is to be in, for its owner alone; writing the file tells of those that can't be.
    private static func makeFolders(of path: String) {
        for index in path.indices.dropFirst() where path[index] == "/" { mkdir(String(path[..<index]), 0o700) }
    }
}
