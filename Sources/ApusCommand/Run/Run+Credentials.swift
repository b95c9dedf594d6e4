internal import Apus
internal import HTTPTypes

extension Run {
    /// Returns the credentials of `--auth`. Asks for the password if it was left out.
    func typedCredentials() throws(CommandFault) -> Credentials? {
        guard let auth = invocation.auth else { return nil }
        return try Credentials(auth, scheme: invocation.scheme ?? .basic, ask: askPassword)
    }

    /// Determines the credentials without `--auth`: from the URL, a typed field, the session or the netrc file, in this
    /// order. With `--auth-type`, only from the URL or the netrc file. Typed ones are stored in the session.
    ///
    /// - Throws: `CommandFault` if `--auth-type` was given, and no credentials are found.
    func authorize(_ plan: inout RequestPlan, _ session: inout StoredSession?) throws(CommandFault) {
        let isFieldTyped = plan.hasWord(on: .authorization)
        if let typed = plan.credentials {
            session?.keep(typed)
        } else if let scheme = invocation.scheme {
            let found = try credentials(of: plan, scheme)
            let isTyped = plan.target.userInformation != nil
            try plan.authorize(by: found)
            if isTyped { session?.keep(found) }
        } else if let user = plan.target.userInformation {
            // The library creates the Authorization field from the URL, unless one exists.
            if !isFieldTyped { session?.keep(.basic(user: user.user, password: user.password)) }
        } else if !isFieldTyped, let known = try session?.credentials(ask: askPassword) {
            try plan.authorize(by: known)
        } else if !isFieldTyped, !plan.fields.contains(.authorization), let login = netrcLogin(for: plan) {
            try plan.authorize(by: .basic(user: login.user, password: login.password))
        }
    }

    /// Returns the credentials for `--auth-type` without `--auth`.
    private func credentials(
        of plan: RequestPlan,
        _ scheme: Credentials.Scheme
    ) throws(CommandFault) -> Credentials {
        let login = plan.target.userInformation.map { (user: $0.user, password: $0.password) } ?? netrcLogin(for: plan)
        guard let login, let found = Credentials(scheme, user: login.user, password: login.password) else {
            let what = scheme == .bearer ? "TOKEN" : "USER:PASSWORD"
            throw CommandFault("--auth-type \(scheme.rawValue) needs credentials; add --auth \(what)")
        }
        return found
    }

    private func askPassword(_ user: String) -> String? {
        console.askPassword("Password of \(TerminalText.line(user)): ")
    }

    /// Returns the netrc login for the requested host. It is not used for the targets of redirects.
    private func netrcLogin(for plan: RequestPlan) -> (user: String, password: String)? {
        guard !invocation.ignoresNetrc, let file = NetrcFile(console) else { return nil }
        do throws(ApusError) {
            return try file.login(forHost: plan.target.origin.host)
        } catch {
            if !invocation.isQuiet {
                console.report("the netrc file was ignored: \(error.detail); fix it, or use --ignore-netrc")
            }
            return nil
        }
    }
}
