internal import ApusCore

/// One stage in the setup of a connection. It uses the results of the stages before it, and adds its own to the
/// `ConnectionSetup` that they share. Confined to its event loop.
///
/// Through a proxy there are more of them: the handshake with an https proxy, and the tunnel to the origin.
protocol ConnectStage: AnyObject {
    /// The time limit of the stage. Successive stages with the same limit share its time.
    var limit: ConnectLimit { get }

    /// The unfinished step, as the beginning of a sentence, for the error of the time limit.
    var unfinished: String { get }

    /// The failures so far, for the error of the time limit. Empty if there are none.
    var failures: String { get }

    /// The error in place of that of the time limit, if the stage has learned its reason. `nil` if it has not.
    var verdict: ApusError? { get }

    /// Begins work that needs no other stage. To be called at the start of the setup.
    ///
    /// - Parameter fail: Ends the setup with an error. Called at most once.
    func prepare(fail: @escaping (ApusError) -> Void)

    /// Starts the stage.
    ///
    /// - Parameter completion: Called once, unless the stage is cancelled.
    func start(_ completion: @escaping (Result<Void, ApusError>) -> Void)

    /// Cancels the stage. Also called before its start and after its end.
    func cancel()
}

extension ConnectStage {
    var failures: String { "" }

    var verdict: ApusError? { nil }

    func prepare(fail: @escaping (ApusError) -> Void) {}

    func cancel() {}
}

/// A time limit of the setup.
enum ConnectLimit {
    /// `timeouts.connect`: up to the TCP connection.
    case connect
    /// `timeouts.tls`: the handshake.
    case tls
    /// `timeouts.proxy`: the tunnel through a proxy.
    case proxy

    func duration(_ timeouts: Timeouts) -> Duration? {
        switch self {
        case .connect: timeouts.connect
        case .tls: timeouts.tls
        case .proxy: timeouts.proxy
        }
    }

    /// Returns the error of a setup whose stage has reached the limit.
    func error(of stage: any ConnectStage, after duration: Duration) -> ApusError {
        let failures = stage.failures.isEmpty ? "" : " (\(stage.failures))"
        let detail = "\(stage.unfinished) within \(duration.formatted)\(failures)"
        return switch self {
        case .connect: ApusError(.connectTimeout, detail, hint: "raise timeouts.connect of the session")
        case .tls: ApusError(.tlsTimeout, detail, hint: "raise timeouts.tls of the session")
        case .proxy: ApusError(.proxyTimeout, detail, hint: "raise timeouts.proxy of the session")
        }
    }
}
