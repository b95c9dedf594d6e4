internal import Apus
internal import ApusPlatform

extension Invocation {
    /// Returns the session's configuration, without middleware.
    func configuration(
        files: Files,
        environment: [String: String]
    ) throws(CommandFault) -> Session.Configuration {
        var configuration = Session.Configuration()
        // The command adds every field itself, so that the user can remove each.
        configuration.fields = [:]
        // The user decides how long to wait, with `--timeout`.
        configuration.timeouts.idleRead = nil
        configuration.timeouts.idleWrite = nil
        configuration.timeouts.request = timeout
        // The wait for the only connection includes its creation.
        configuration.timeouts.poolWait = nil
        if !limitsConnecting {
            configuration.timeouts.connect = nil
            configuration.timeouts.tls = nil
            configuration.timeouts.proxy = nil
        }
        configuration.redirects =
            followsRedirects && maxRedirects > 0 ? .follow(limit: maxRedirects, allowsDowngrade: true) : .refuse
        if retryLimit > 0 {
            configuration.interceptor = RetryPolicy(retryLimit: retryLimit)
            // `--retry` is the only limit.
            configuration.retryBudget = nil
        }
        configuration.trust = try trust(files: files)
        configuration.proxy = proxies.selection(in: environment)
        configuration.protocols = protocols
        configuration.pool.connectionsPerOrigin = 1
        // No other request shares the event loop, so blocking it does no harm.
        configuration.handlerExecution = .eventLoop
        return configuration
    }

    private func trust(files: Files) throws(CommandFault) -> ServerTrust {
        var trust = ServerTrust()
        switch verification {
        case .system: break
        case .anyone: trust.verification = .none
        case .authorities(let name):
            let path = files.path(name)
            guard access(path, R_OK) == 0 else {
                let words = FileDescriptor.Fault(number: errno).words
                throw CommandFault(
                    "the file '\(name)' of --verify can't be read: \(words); write yes, no or a PEM file"
                )
            }
            trust.roots = .file(path)
        }
        return trust
    }
}
