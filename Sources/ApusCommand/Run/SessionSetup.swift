internal import Apus
internal import ApusPlatform
internal import Foundation

extension Invocation {
    /// Returns the session's configuration, without middleware.
    ///
    /// - Parameters:
    ///   - files: Resolves the names of files.
    ///   - environment: The variables of the environment, which may name proxies.
    ///   - time: The clock of the session.
    ///   - askPassword: Asks for the passphrase of a key. `nil` if there is no terminal.
    /// - Returns: The configuration.
    /// - Throws: `CommandFault` for a file that can't be used.
    func configuration(
        files: Files,
        environment: [String: String],
        time: any SessionClock,
        askPassword: (_ prompt: String) -> String?
    ) throws(CommandFault) -> Session.Configuration {
        var configuration = Session.Configuration()
        configuration.time = time
        // The command adds every field itself, so that the user can remove each.
        configuration.fields = [:]
        if !transfers.runsQueue {
            // The user decides how long to wait, with `--timeout`. In a queue, a silent server would keep its place.
            configuration.timeouts.idleRead = nil
            configuration.timeouts.idleWrite = nil
        }
        configuration.timeouts.request = timeout
        // The wait for the only connection includes its creation.
        configuration.timeouts.poolWait = nil
        if !limitsConnecting {
            configuration.timeouts.connect = nil
            configuration.timeouts.tls = nil
            configuration.timeouts.proxy = nil
        }
        configuration.redirects = followsRedirects && maxRedirects > 0 ? .follow(limit: maxRedirects) : .refuse
        if retryLimit > 0 {
            configuration.interceptor = RetryPolicy(retryLimit: retryLimit)
            // `--retry` is the only limit.
            configuration.retryBudget = nil
        }
        configuration.trust = try trust(files: files)
        configuration.hsts = try hsts(files: files, time: time)
        configuration.tls = try tls(files: files, askPassword: askPassword)
        configuration.proxy = proxies.selection(in: environment)
        configuration.protocols = protocols
        configuration.addresses = addresses
        if transfers.runsQueue || transfers.segments != nil {
            // The requests share the rate.
            configuration.transferRate = TransferRateLimit(download: rateLimit, upload: rateLimit)
        }
        guard !transfers.runsQueue else { return configuration }
        configuration.pool.connectionsPerOrigin = transfers.segments ?? 1
        // No other request shares the event loop, so blocking it does no harm.
        if transfers.segments == nil { configuration.handlerExecution = .eventLoop }
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
            trust.roots = FileStatus(path: path)?.kind == .folder ? .folder(path) : .file(path)
        }
        if !security.pins.isEmpty {
            trust.evaluator = PublicKeysTrustEvaluator(
                keys: security.pins,
                performDefaultValidation: verification != .anyone,
                validateHost: verification != .anyone
            )
        }
        return trust
    }

    private func hsts(files: Files, time: any SessionClock) throws(CommandFault) -> HSTSHandling {
        guard let name = security.hsts else { return .automatic }
        do throws(ApusError) {
            return .store(try HSTSStore(file: URL(filePath: files.path(name)), time: time))
        } catch {
            throw CommandFault("the file of --hsts can't be used: \(error.detail)")
        }
    }

    private func tls(
        files: Files,
        askPassword: (_ prompt: String) -> String?
    ) throws(CommandFault) -> TLSSettings {
        var tls = TLSSettings()
        if let version = security.version?.version {
            tls.minimumVersion = version
            tls.maximumVersion = version
        }
        tls.cipherSuites = security.cipherSuites
        guard let name = security.certificate else { return tls }
        do throws(ApusError) {
            var identity = try identity(in: name, files: files)
            if sends, security.passphrase == nil, identity.needsPassphrase {
                let prompt = "Passphrase of \(TerminalText.line(security.key ?? name)): "
                if let passphrase = askPassword(prompt) { identity = identity.with(passphrase: passphrase) }
            }
            if sends { try identity.check() }
            tls.identity = identity
        } catch {
            let remedy = error.hint == nil ? "" : "; add --cert-key-pass"
            throw CommandFault("--cert can't be used: \(error.detail)\(remedy)")
        }
        return tls
    }

    private func identity(in name: String, files: Files) throws(ApusError) -> ClientIdentity {
        let path = files.path(name)
        let isBundle = [".p12", ".pfx"].contains { path.lowercased().hasSuffix($0) }
        if isBundle { return try .pkcs12File(path, passphrase: security.passphrase ?? "") }
        return try .pemFile(path, key: security.key.map(files.path), passphrase: security.passphrase)
    }
}

extension ClientIdentity {
    /// Whether it can't be read without a passphrase.
    fileprivate var needsPassphrase: Bool {
        guard format == .pkcs12 else { return lacksPassphrase }
        do throws(ApusError) {
            try check()
            return false
        } catch {
            return error.detail.hasSuffix("needs a passphrase")
        }
    }
}
