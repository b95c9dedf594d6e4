internal import Apus
internal import HTTPTypes

extension Exchange {
    /// What `--auth` gave; a password that it left out is asked for.
    func typedCredentials() throws(CommandFault) -> Credentials? {
        guard let auth = invocation.auth else { return nil }
        return try Credentials(auth, scheme: invocation.scheme ?? .basic, ask: askPassword)
    }

    /// Settles who asks where `--auth` did not: the URL, a typed field, the session and the netrc file may say so, in
    /// this order; with `--auth-type` the URL and the netrc file. The session keeps what was typed, in the URL too.
    ///
    /// - Throws: `CommandFault` where `--auth-type` stands alone.
    func authorize(_ plan: inout RequestPlan, _ session: inout KeptSession?) throws(CommandFault) {
        let isFieldTyped = plan.hasWord(on: .authorization)
        if let typed = plan.credentials {
            session?.keep(typed)
        } else if let scheme = invocation.scheme {
            let found = try credentials(of: plan, scheme)
            let isTyped = plan.target.userInformation != nil
            try plan.authorize(by: found)
            if isTyped { session?.keep(found) }
        } else if let user = plan.target.userInformation {
            // The library makes a field of it, unless there is one.
            if !isFieldTyped { session?.keep(.basic(user: user.user, password: user.password)) }
        } else if !isFieldTyped, let known = try session?.credentials(ask: askPassword) {
            try plan.authorize(by: known)
        } else if !isFieldTyped, !plan.fields.contains(.authorization), let login = netrcLogin(for: plan) {
            try plan.authorize(by: .basic(user: login.user, password: login.password))
        }
    }

    /// What a scheme is to tell where no more than the scheme was typed.
    private func credentials(
        of plan: RequestPlan,
        _ scheme: Credentials.Scheme
    ) throws(CommandFault) -> Credentials {
        let login = plan.target.userInformation.map { (user: $0.user, password: $0.password) } ?? netrcLogin(for: plan)
        guard let login, let found = Credentials(scheme, user: login.user, password: login.password) else {
            let what = scheme == .bearer ? "TOKEN" : "USER:PASSWORD"
            throw CommandFault("--auth-type \(scheme.rawValue) does not say who asks; add --auth \(what)")
        }
        return found
    }

    private func askPassword(_ user: String) -> String? {
        console.askPassword("Password of \(TerminalText.line(user)): ")
    }

    /// What the netrc file says for the host that is asked, and for no other that it leads to.
    private func netrcLogin(for plan: RequestPlan) -> (user: String, password: String)? {
        guard !invocation.ignoresNetrc, let file = NetrcFile(console) else { return nil }
        do throws(ApusError) {
            return try file.login(forHost: plan.target.origin.host)
        } catch {
            if !invocation.isQuiet {
                console.tell("no password was looked up: \(error.detail); mend the file, or use --ignore-netrc")
            }
            return nil
        }
    }
}
