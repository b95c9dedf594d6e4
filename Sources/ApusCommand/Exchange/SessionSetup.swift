internal import Apus

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Invocation {
    /// The session's configuration, apart from middleware.
    func configuration(files: Files) throws(CommandFault) -> Session.Configuration {
        var configuration = Session.Configuration()
        // Every field is the command's own, so that each can be taken away.
        configuration.fields = [:]
        // A person waits as long as they like; `--timeout` is their word for how long that is.
        configuration.timeouts.idleRead = nil
        configuration.timeouts.idleWrite = nil
        configuration.timeouts.request = timeout
        // The wait for the one connection that there is contains the making of it.
        configuration.timeouts.poolWait = nil
        if !limitsConnecting {
            configuration.timeouts.connect = nil
            configuration.timeouts.tls = nil
        }
        configuration.redirects =
            followsRedirects && maxRedirects > 0 ? .follow(limit: maxRedirects, allowsDowngrade: true) : .refuse
        if retryLimit > 0 {
            configuration.interceptor = RetryPolicy(retryLimit: retryLimit)
            // The number that was typed is the budget.
            configuration.retryBudget = nil
        }
        configuration.trust = try trust(files: files)
        configuration.pool.connectionsPerOrigin = 1
        // There is no other request that what the command does between could hold up.
        configuration.userCode = .onLoop
        return configuration
    }

    private func trust(files: Files) throws(CommandFault) -> Trust {
        var trust = Trust()
        switch verification {
        case .system: break
        case .anyone: trust.verification = .none
        case .authorities(let name):
            let path = files.path(name)
            guard access(path, R_OK) == 0 else {
                let words = FileDescriptor.Fault(number: errno).words
                throw CommandFault(
                    "--verify names the file '\(name)', which can't be read: \(words); write yes, no or a PEM file"
                )
            }
            trust.roots = .file(path)
        }
        return trust
    }
}
