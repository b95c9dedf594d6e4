internal import Apus
internal import ApusResilience
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

/// Adds a field to requests, and retries after timeouts.
private struct Stamping: RequestInterceptor {
    func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
        var request = request
        try request.fields.set(checking: "X-Request-Tag", "\(context.session.id)-\(context.id)")
        return request
    }

    func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult {
        attempt.retryCount < 2 && error.isTimeout ? .retry : .doNotRetry
    }

    func retryCreation(dueTo error: ApusError, context: RequestContext) async -> RetryResult {
        context.retryCount < 2 && error.underlying is CancellationError ? .retry : .doNotRetry
    }
}

/// Adapts a request.
private func stamped(_ request: RequestMessage) async throws -> RequestMessage { request }

/// Prints every event.
private struct Steps: EventMonitor {
    let receivesProgress = true

    func request(_ request: RequestSummary, did event: RequestEvent) {
        switch event {
        case .created(let message), .adapted(let message): print(request, message)
        case .creationFailed(let error), .adaptationFailed(let error): print(request, error)
        case .exchangeBegan(let message, let cause): print(request, message, cause)
        case .contentSent(let count, _), .contentReceived(let count, _): print(request, count)
        case .informational(let head), .responded(let head): print(request, head.status)
        case .redirected(_, let next): print(request, next?.target.uri ?? "stays")
        case .challenged(_, let scheme): print(request, scheme ?? "nothing to say")
        case .exchangeEnded(let record): print(request, record.metrics)
        case .validated(let error): print(request, error?.code ?? "fine")
        case .completed(let response): print(request, response)
        case .destinationChosen(let fileURL), .downloaded(let fileURL): print(request, fileURL)
        case .waitingForConnectivity: print(request, "is offline")
        case .serialized(let response): print(request, response.serializationDuration ?? .zero)
        case .retrying(let delay, _): print(request, delay)
        default: print(request, event)
        }
    }

    func session(_ session: SessionID, didEndDueTo error: ApusError?) {
        print(session, error?.code ?? "shut down")
    }
}

/// The code of the article on Alamofire about interceptors and event monitors.
@Suite(.timeLimit(.minutes(5)))
struct MigratingFromAlamofireInterceptionSamples {
    private let url = "https://api.example.org/users/1"

    @Test func interceptors() async throws {
        let session = SampleService.session { $0.interceptor = Stamping() }
        let adapter = Adapter { request, context in try await stamped(request) }
        let retrier = Retrier { attempt, error in error.code == .poolTimeout ? .retry : .doNotRetry }
        let request = session.request(url).suspend()
        request.interceptor(RetryPolicy())
        request.adapt(using: adapter)
        request.retry(using: retrier)
        #expect(try await request.resume().serializingDecodable(User.self).value.id == 1)
        let patient = Interceptor(adapters: [adapter], retriers: [retrier], interceptors: [RetryPolicy()])
        #expect(try await session.get(url, options: [patient]).status == .ok)
    }

    @Test func closures() {
        let adapter = Adapter { request, context, completion in completion(.success(request)) }
        let retrier = Retrier { attempt, error, completion in completion(.retryWithDelay(.seconds(1))) }
        let change: Adapter.Change = { request, _ in request }
        let decision: Retrier.Decision = { _, _ in .doNotRetry }
        let both = Interceptor(adapters: [adapter, Adapter(change)], retriers: [retrier, Retrier(decision)])
        #expect(both.adapters.count + both.retriers.count == 4)
        let results: [RetryResult] = [.retry, .retryWithDelay(.seconds(1)), .doNotRetry, .doNotRetryWithError(Full())]
        #expect(results.count == 4)
    }

    private struct Full: Error {}

    @Test func policies() {
        var configuration = Session.Configuration()
        configuration.interceptor = RetryPolicy(retryLimit: 2, base: 2, scale: .milliseconds(500))
        configuration.interceptor = ConnectionLostRetryPolicy(retryLimit: 2)
        configuration.interceptor = Interceptor(retriers: [OfflineRetrier(maximumWait: .seconds(5)), RetryPolicy()])
        configuration.retryBudget = nil
        #expect(configuration.interceptor is Interceptor)
        #expect(RetryPolicy(methods: [.get], statuses: [503], codes: [.connectionClosed]).statuses == [503])
        #expect(RetryPolicy.idempotentMethods.count + RetryPolicy.transientStatuses.count > 7)
        #expect(RetryPolicy.transientCodes.contains(.connectionClosed))
    }

    @Test func credentials() {
        let authenticator = OAuthAuthenticator()
        let credential = OAuthCredential(accessToken: "a", refreshToken: "b", expiration: .distantFuture)
        let window = RefreshWindow(interval: .seconds(30), maximumAttempts: 5)
        let own = AuthenticationInterceptor(authenticator: authenticator, credential: credential, refreshWindow: window)
        own.credential = nil
        #expect(own.credential == nil)
        let errors: [AuthenticationError] = [.missingCredential, .excessiveRefresh]
        #expect(Set(errors).count == 2)
        let request = SampleService.session().request(url)
        request.authenticate(username: "ada", password: "secret")
        request.authenticate(with: Credential.user("ada", password: "secret"))
        request.cancel()
    }

    @Test func redirects() async throws {
        let url = "https://api.example.org/old"
        var configuration = Session.Configuration()
        configuration.redirects = .follow(limit: 20)
        configuration.redirectHandler = SameHost()
        configuration.redirectHandler = .modify { request, _, _ in
            request.target.origin.scheme == .https ? request : nil
        }
        let session = SampleService.session { $0.redirectHandler = configuration.redirectHandler }
        #expect(try await session.get(url).status == .ok)
        #expect(try await session.get(url, options: [Redirector.doNotFollow]).status == .movedPermanently)
        let redirectors: [Redirector] = [.follow, .doNotFollow]
        for redirector in redirectors {
            let request = session.request(url)
            request.redirect(using: redirector)
            #expect(await request.serializingData().response.response != nil)
        }
        let request = session.request(url)
        request.redirect(using: .doNotFollow)
        #expect(await request.serializingData().response.response?.status == .movedPermanently)
    }

    @Test func trust() throws {
        let certificates = try ServerCertificate.certificates(in: .main)
        let keys = certificates.map { PublicKeyPin(certificate: $0) }
        let evaluators: [any ServerTrustEvaluating] = [
            DefaultTrustEvaluator(), DefaultTrustEvaluator(validateHost: false), DisabledTrustEvaluator(),
            PinnedCertificatesTrustEvaluator(certificates: certificates), PublicKeysTrustEvaluator(keys: keys),
            RevocationTrustEvaluator(), RevocationTrustEvaluator(options: [.ocsp, .requirePositiveResponse]),
        ]
        #expect(CompositeTrustEvaluator(evaluators: evaluators).evaluators.count == 7)
        var configuration = Session.Configuration()
        let manager = ServerTrustManager(evaluators: ["api.example.org": DefaultTrustEvaluator()])
        configuration.serverTrustManager = manager
        #expect(manager.allHostsMustBeEvaluated && manager.evaluators.count == 1)
        #expect(try manager.serverTrustEvaluator(forHost: "api.example.org") != nil)
        let selfSigned =
            PinnedCertificatesTrustEvaluator(certificates: certificates, acceptSelfSignedCertificates: true)
        #expect(selfSigned.acceptSelfSignedCertificates)
        configuration.trust.verification = .none
        #expect(configuration.trust != ServerTrust())
    }

    /// Only compiled, because it watches the network of the machine.
    static func reachability() throws {
        let host = try NetworkReachabilityManager(host: "api.example.org")
        print(host.status, try NetworkReachabilityManager(address: "192.0.2.1").status)
        let reachability = NetworkReachabilityManager()
        let listener: NetworkReachabilityManager.Listener = { status in print(status) }
        try reachability.startListening { status in print(status) }
        try reachability.startListening(onQueue: DispatchQueue(label: "watching"), onUpdatePerforming: listener)
        print(reachability.isReachable, reachability.status == .reachable(.cellular))
        print(reachability.isReachableOnCellular, reachability.isReachableOnEthernetOrWiFi)
        reachability.stopListening()
        _ = InterfaceWatch(connectionTypes: [.ethernetOrWiFi])
    }

    @Test func monitors() async throws {
        var monitor = ClosureEventMonitor(queue: DispatchQueue(label: "watching"))
        monitor.requestDidCreate = { request, message in print(request, message) }
        let monitors = CompositeEventMonitor(monitors: [monitor, Steps(), NotificationMonitor()])
        let session = SampleService.session { $0.eventMonitors = [monitors] }
        #expect(try await session.get(url).status == .ok)
        let events: [RequestEvent] = [.resumed, .suspended, .cancelled, .finished]
        #expect(events.map(\.description).count == 4)
    }

    @Test func notifications() {
        let names = [
            RequestEvent.didResumeNotification, RequestEvent.didSuspendNotification,
            RequestEvent.didCancelNotification, RequestEvent.didFinishNotification,
            RequestEvent.didBeginExchangeNotification, RequestEvent.didEndExchangeNotification,
            RequestEvent.didCompleteNotification,
        ]
        #expect(Set(names).count == 7)
        let notification = Notification(name: RequestEvent.didFinishNotification)
        #expect(notification.requestID == nil)
        if let request = notification.requestSummary { print(request) }
        if let event = notification.requestEvent { print(event) }
    }
}
