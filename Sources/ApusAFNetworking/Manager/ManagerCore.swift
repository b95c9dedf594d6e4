internal import Apus
internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The state of a manager, kept separately so that a running task does not keep the manager alive.
final class ManagerCore: Sendable {
    private enum SessionState {
        case none
        /// A session with its trust. If the trust changes, later tasks use a new session, since its connections were
        /// made by other rules.
        case made(Session, ServerTrust)
        case invalidated
    }

    /// A value that can be changed without the lock.
    private struct Versioned<Value: Sendable>: Sendable {
        var value: Value {
            didSet { version += 1 }
        }
        private(set) var version = 0

        init(_ value: Value) {
            self.value = value
        }
    }

    private struct WeakTask {
        weak var task: SessionTask?
    }

    private struct State {
        var requestSerializer = Versioned<any AFHTTPRequestSerialization>(AFHTTPRequestSerializer())
        var responseSerializer = Versioned<any AFHTTPResponseSerialization>(AFJSONResponseSerializer())
        var securityPolicy = AFSecurityPolicy.default
        var trust: ServerTrust
        var completionQueue: DispatchQueue?
        var completionGroup: DispatchGroup?
        var reachabilityManager = AFNetworkReachabilityManager.shared
        var hooks = ManagerHooks()
        var session = SessionState.none
        var lastTaskIdentifier = 0
        var tasks: [Int: WeakTask] = [:]
    }

    let baseURL: URL?
    /// The configuration of all sessions, with the cookie jar, the HSTS store and the remembered
    /// credentials, which they share.
    let configuration: SessionConfiguration
    /// Creates a session from a configuration.
    let makeSession: @Sendable (SessionConfiguration) -> Session
    /// The queue of all handlers but completion handlers, in order.
    let queue = DispatchQueue(label: "apus.session-manager")
    private let ownGroup = DispatchGroup()
    private let state: Lock<State>

    init(
        baseURL: URL?,
        configuration: SessionConfiguration,
        makeSession: @escaping @Sendable (SessionConfiguration) -> Session
    ) {
        self.baseURL = baseURL
        var configuration = configuration
        configuration.provideCookieJar()
        configuration.provideHSTSStore()
        configuration.rememberCredentials()
        self.configuration = configuration
        self.makeSession = makeSession
        self.state = Lock(State(trust: configuration.trust))
    }

    /// Returns a copy with the same settings, except for the hooks. Both share the cookies and remembered credentials.
    func copy() -> ManagerCore {
        let copy = ManagerCore(baseURL: baseURL, configuration: configuration, makeSession: makeSession)
        let settings = state.withLock { state in
            var settings = State(trust: state.trust)
            settings.requestSerializer = state.requestSerializer
            settings.responseSerializer = state.responseSerializer
            settings.securityPolicy = state.securityPolicy
            settings.completionQueue = state.completionQueue
            settings.completionGroup = state.completionGroup
            settings.reachabilityManager = state.reachabilityManager
            return settings
        }
        copy.state.withLock { $0 = settings }
        return copy
    }

    // MARK: Settings

    var requestSerializer: any AFHTTPRequestSerialization {
        get { state.withLock { $0.requestSerializer.value } }
        set { put(newValue, in: \.requestSerializer.value) }
    }

    var responseSerializer: any AFHTTPResponseSerialization {
        get { state.withLock { $0.responseSerializer.value } }
        set { put(newValue, in: \.responseSerializer.value) }
    }

    func updateRequestSerializer<Failure: Error>(
        _ change: (inout any AFHTTPRequestSerialization) throws(Failure) -> Void
    ) throws(Failure) {
        try update(\.requestSerializer, change)
    }

    func updateResponseSerializer<Failure: Error>(
        _ change: (inout any AFHTTPResponseSerialization) throws(Failure) -> Void
    ) throws(Failure) {
        try update(\.responseSerializer, change)
    }

    /// The number of times that a change starts over. More than that means that the change sets the value itself.
    private static var updateLimit: Int { 1000 }

    /// Changes a copy of a value, and sets it. Starts over if another thread has set the value before that, since user
    /// code must not run under the lock.
    private func update<Value: Sendable, Failure: Error>(
        _ path: WritableKeyPath<State, Versioned<Value>>,
        _ change: (inout Value) throws(Failure) -> Void
    ) throws(Failure) {
        for pass in 1...Self.updateLimit {
            let current = state.withLock { $0[keyPath: path] }
            var changed = current
            try change(&changed.value)
            let value = changed.value
            let isSet = state.withLock { state in
                guard state[keyPath: path].version == current.version || pass == Self.updateLimit else { return false }
                state[keyPath: path].value = value
                return true
            }
            if isSet { return }
        }
    }

    var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set { put(newValue, in: \.completionQueue) }
    }

    var completionGroup: DispatchGroup? {
        get { state.withLock { $0.completionGroup } }
        set { put(newValue, in: \.completionGroup) }
    }

    var reachabilityManager: AFNetworkReachabilityManager {
        get { state.withLock { $0.reachabilityManager } }
        set { put(newValue, in: \.reachabilityManager) }
    }

    var hooks: ManagerHooks { state.withLock { $0.hooks } }

    var securityPolicy: AFSecurityPolicy { state.withLock { $0.securityPolicy } }

    /// Changes one hook without affecting concurrent changes of others.
    func setHook<Hook: Sendable>(_ hook: WritableKeyPath<ManagerHooks, Hook>, _ value: Hook) {
        let hooks: WritableKeyPath<State, ManagerHooks> = \.hooks
        put(value, in: hooks.appending(path: hook))
    }

    /// Changes a value. Releases the old one outside the lock, because its deinitializer may run user code.
    private func put<Value: Sendable>(_ value: Value, in path: WritableKeyPath<State, Value>) {
        let before = state.withLock { state in
            defer { state[keyPath: path] = value }
            return state[keyPath: path]
        }
        withExtendedLifetime(before) {}
    }

    func setSecurityPolicy(_ policy: AFSecurityPolicy) throws(ApusError) {
        let trust = try policy.trust(over: configuration.trust)
        guard policy.pinningMode == .none || baseURL?.scheme?.lowercased() == "https" else {
            throw ApusError(
                .invalidConfiguration,
                "a policy with pinned certificates requires https, but the manager's base URL is "
                    + (baseURL.map { "'\(Redaction.url($0.absoluteString))'" } ?? "none")
            )
        }
        state.withLock { state in
            state.securityPolicy = policy
            state.trust = trust
        }
    }

    // MARK: The session

    /// Returns the session for tasks that start now.
    func session() throws(ApusError) -> Session {
        while true {
            let (current, trust) = state.withLock { ($0.session, $0.trust) }
            switch current {
            case .invalidated:
                throw CancelReason.sessionShutDown.error
            case .made(let session, trust):
                return session
            case .none, .made:
                let session = makeSession(with: trust)
                // The previous session is released outside the lock.
                let (isCurrent, before) = state.withLock { state in
                    let before = state.session
                    if case .invalidated = before { return (false, before) }
                    if case .made(_, trust) = before { return (false, before) }
                    state.session = .made(session, trust)
                    return (true, before)
                }
                withExtendedLifetime(before) {}
                if isCurrent { return session }
            }
        }
    }

    private func makeSession(with trust: ServerTrust) -> Session {
        var configuration = configuration
        configuration.trust = trust
        configuration.options[OuterMiddleware.self] = OuterMiddleware(TaskMiddleware())
        return makeSession(configuration)
    }

    /// Removes the session. Without a reset, no new one is created.
    ///
    /// - Parameter resetting: Whether a new session may be created later.
    /// - Returns: The session, created if there was none, so that its end can be reported. `nil` if it was removed
    ///   before.
    func invalidate(resetting: Bool) -> Session? {
        while true {
            let session = try? session()
            let isTaken = state.withLock { state in
                switch state.session {
                case .invalidated where session == nil: break
                case .made(let current, _) where current === session: break
                case .none, .made, .invalidated: return false
                }
                state.session = resetting ? .none : .invalidated
                return true
            }
            if isTaken { return session }
        }
    }

    // MARK: Tasks

    /// The active tasks, in order of creation.
    var tasks: [SessionTask] {
        let tasks = state.withLock { state in state.tasks.values.compactMap(\.task) }
        return tasks.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }

    func makeTask(_ kind: SessionTask.Kind, _ request: RequestMessage, _ work: SessionTask.Work) -> SessionTask {
        let identifier = state.withLock { state in
            state.lastTaskIdentifier += 1
            return state.lastTaskIdentifier
        }
        let task = SessionTask(kind, identifier, request, core: self, work: work)
        let others = state.withLock { state -> [Int: SessionTask] in
            state.tasks[identifier] = WeakTask(task: task)
            guard identifier % 64 == 0 else { return [:] }
            // Remove tasks that were released without being started.
            let others = state.tasks.compactMapValues(\.task)
            state.tasks = state.tasks.filter { others[$0.key] != nil }
            return others
        }
        withExtendedLifetime(others) {}
        return task
    }

    func remove(_ task: SessionTask) {
        state.withLock { $0.tasks[task.taskIdentifier] = nil }
    }

    // MARK: Notifications

    /// Calls `work` on the completion queue, in the completion group.
    ///
    /// - Parameters:
    ///   - queue: The queue. `nil` means the manager's completion queue.
    ///   - watch: Detects a main queue that is not running, if present.
    ///   - work: The closure to call.
    func complete(on queue: DispatchQueue?, _ watch: MainQueueWatch?, _ work: @escaping @Sendable () -> Void) {
        let (set, group) = state.withLock { ($0.completionQueue, $0.completionGroup ?? ownGroup) }
        let queue = queue ?? set ?? .main
        group.enter()
        let inGroup = { @Sendable in
            work()
            group.leave()
        }
        if let watch { watch.deliver(on: queue, inGroup) } else { queue.async(execute: inGroup) }
    }

    /// Posts a notification on the main thread.
    func post(_ name: Notification.Name, about object: any AnyObject & Sendable, _ info: [String: any Sendable] = [:]) {
        DispatchQueue.main.async {
            NotificationCenter.default.post(name: name, object: object, userInfo: info)
        }
    }
}

extension SessionConfiguration {
    /// Lets all sessions of the configuration share the credentials that servers have accepted.
    fileprivate mutating func rememberCredentials() {
        guard let credentials, options[CredentialProofs.self] == nil else { return }
        let proofs = CredentialProofs()
        let authentication = credentials.authentication(proofs)
        options[CredentialProofs.self] = proofs
        self.credentials = CredentialSource(authentication: { _ in authentication })
    }
}
