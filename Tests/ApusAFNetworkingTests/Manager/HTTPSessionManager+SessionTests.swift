internal import Apus
internal import ApusAFNetworking
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTPSessionManagerSessionTests {
    private static func make(_ kind: SessionTask.Kind, _ manager: HTTPSessionManager) throws -> SessionTask {
        let request = try RequestMessage("http://h/x", method: .post)
        return switch kind {
        case .data: manager.dataTask(with: request) { _, _, _, _ in }
        case .upload: manager.uploadTask(with: request, from: Data("a".utf8)) { _, _, _, _ in }
        case .download: manager.downloadTask(with: request) { _, _, _, _ in }
        }
    }

    // MARK: Lists

    /// Parity: AFN-manager-adopts, AFN-manager-tasks
    @Test func listsActiveTasks() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let tasks = try [SessionTask.Kind.data, .upload, .download, .data].map { try Self.make($0, test.manager) }
        let numbers = tasks.map(\.taskIdentifier)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 4)
        #expect(test.manager.tasks.map(\.taskIdentifier) == numbers)
        #expect(test.manager.dataTasks.map(\.taskIdentifier) == [numbers[0], numbers[3]])
        #expect(test.manager.uploadTasks.map(\.taskIdentifier) == [numbers[1]])
        #expect(test.manager.downloadTasks.map(\.taskIdentifier) == [numbers[2]])
        for task in tasks { task.resume() }
        await barrier.reached()
        #expect(test.manager.tasks.count == 4)
        for task in tasks { task.cancel() }
        #expect(await eventually { test.manager.tasks.isEmpty })
        try await assertNothingLeft(test.manager.session)
    }

    @Test func doesNotListReleasedTasksThatNeverBegan() throws {
        let test = TestManager()
        for _ in 0..<200 { _ = try Self.make(.data, test.manager) }
        #expect(test.manager.tasks.isEmpty)
    }

    // MARK: Invalidation

    /// Parity: AFN-manager-invalidate, AFN-notification-session, AFN-block-invalid
    @Test(arguments: [true, false])
    func cancelsAllTasksOnInvalidation(resets: Bool) async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let session = try test.manager.session
        let posted = PostedNotification(.AFURLSessionDidInvalidate, about: session)
        let invalid = Deferred<Bool>()
        test.manager.setSessionDidBecomeInvalidBlock { invalid.fulfill($0 === session) }
        let running = Task { await failure { () throws(ApusError) in try await test.manager.get("x") } }
        await barrier.reached()
        let codes = LockedList<ApusError.Code?>()
        let waiting = test.manager.dataTask(with: try RequestMessage("http://h/y")) { codes.append($3?.code) }
        test.manager.invalidateSession(cancelingTasks: true, resetSession: resets)
        #expect(await running.value?.code == .cancelled)
        _ = await posted.userInfo
        #expect(await invalid.value)
        #expect(await eventually { codes.all == [.cancelled] })
        #expect(waiting.state == .completed)
        #expect(test.manager.tasks.isEmpty)
        #expect(posted.count == 1)
    }

    /// Parity: AFN-manager-invalidate
    @Test func letsRunningTasksCompleteOnInvalidation() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let session = try test.manager.session
        let posted = PostedNotification(.AFURLSessionDidInvalidate, about: session)
        let running = Task { try await test.manager.get("x").response.status }
        await barrier.reached()
        test.manager.invalidateSession(cancelingTasks: false, resetSession: false)
        let late = await failure { () throws(ApusError) in try await test.manager.get("y") }
        #expect(late?.code == .sessionShutDown)
        #expect(posted.count == 0)
        barrier.open()
        #expect(try await running.value == .ok)
        _ = await posted.userInfo
        #expect(session.liveCounts.isEmpty)
    }

    /// Parity: AFN-manager-invalidate
    @Test func createsANewSessionOnReset() async throws {
        let test = TestManager()
        let first = try test.manager.session
        test.manager.invalidateSession(cancelingTasks: true, resetSession: true)
        #expect(try await test.manager.get("x").response.status == .ok)
        #expect(try test.manager.session !== first)
    }

    /// Parity: AFN-manager-invalidate
    @Test func rejectsTasksAfterInvalidationWithoutReset() async throws {
        let test = TestManager()
        test.manager.invalidateSession(cancelingTasks: true, resetSession: false)
        #expect(#expect(throws: ApusError.self) { try test.manager.session }?.code == .sessionShutDown)
        let codes = LockedList<ApusError.Code?>()
        test.manager.setTaskDidCompleteBlock { codes.append($1?.code) }
        let error = await failure { () throws(ApusError) in try await test.manager.get("x") }
        #expect(error?.code == .sessionShutDown)
        #expect(codes.all == [.sessionShutDown])
        // A session can still be requested later.
        test.manager.invalidateSession(cancelingTasks: true, resetSession: true)
        #expect(try await test.manager.get("x").response.status == .ok)
    }

    /// Parity: AFN-notification-session
    @Test func reportsInvalidationOnceWithoutASession() async {
        let test = TestManager()
        let times = LockedList<Bool>()
        let invalid = Deferred<Void>()
        test.manager.setSessionDidBecomeInvalidBlock { _ in
            times.append(true)
            invalid.fulfill(())
        }
        test.manager.invalidateSession(cancelingTasks: false, resetSession: false)
        test.manager.invalidateSession(cancelingTasks: false, resetSession: false)
        await invalid.value
        #expect(times.all.count == 1)
    }

    // MARK: Release without invalidation

    /// AFNetworking's sessions retain their managers, which leak unless they are invalidated.
    /// Parity: AFN-manager-leak
    @Test func releasesItsSessionAndConnections() async throws {
        try await TestServer.with { server in
            weak var manager: HTTPSessionManager?
            weak var session: Session?
            do {
                let mine = HTTPSessionManager(baseURL: URL(string: server.url("/")))
                mine.setTaskDidCompleteBlock { _, _ in }
                _ = try await mine.get("get")
                (manager, session) = (mine, try mine.session)
                #expect(session != nil)
            }
            #expect(manager == nil)
            await server.waitForOpenConnections(0)
            #expect(session == nil)
        }
    }

    /// Parity: AFN-manager-leak
    @Test func completesARunningTaskWithoutItsManager() async throws {
        let barrier = Barrier()
        var test: TestManager? = .hanging(barrier)
        weak let manager = test?.manager
        let status = Deferred<HTTPResponse.Status?>()
        test?.manager.get("x") { task, _ in
            status.fulfill(task.response?.status)
        } failure: { _, _ in
            status.fulfill(nil)
        }
        await barrier.reached()
        test = nil
        #expect(manager == nil)
        barrier.open()
        #expect(await status.value == .ok)
    }

    // MARK: Notifications

    /// Parity: AFN-task-data, AFN-task-progress-object, AFN-task-metrics, AFN-completion-order
    /// Parity: AFN-notification-task, AFN-notification-info
    @Test func postsWhenATaskResumesSuspendsAndCompletes() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let completed = Deferred<Void>()
        let task = test.manager.dataTask(with: try RequestMessage("http://h/x")) { _, _, _, _ in completed.fulfill(()) }
        let resumed = PostedNotification(.AFNetworkingTaskDidResume, about: task)
        let suspended = PostedNotification(.AFNetworkingTaskDidSuspend, about: task)
        let didComplete = PostedNotification(.AFNetworkingTaskDidComplete, about: task)
        task.resume()
        task.resume()
        await barrier.reached()
        task.suspend()
        _ = await suspended.userInfo
        task.resume()
        barrier.open()
        let info = await didComplete.userInfo
        await completed.value
        #expect(resumed.count == 2)
        #expect(suspended.count == 1)
        #expect(info[AFNetworkingKeys.serializedResponse] as? JSONValue == [:])
        #expect(info[AFNetworkingKeys.responseData] as? Data == Data("{}".utf8))
        #expect(info[AFNetworkingKeys.responseSerializer] is AFJSONResponseSerializer)
        #expect((info[AFNetworkingKeys.metrics] as? RequestMetrics)?.exchanges.count == 1)
        #expect(info[AFNetworkingKeys.error] == nil)
    }

    /// Parity: AFN-notification-info
    @Test func postsWhyATaskFailed() async throws {
        let test = TestManager { _ in throw ApusError(.connectFailed, "nobody there") }
        let task = test.manager.dataTask(with: try RequestMessage("http://h/x")) { _, _, _, _ in }
        let didComplete = PostedNotification(.AFNetworkingTaskDidComplete, about: task)
        task.resume()
        #expect((await didComplete.userInfo[AFNetworkingKeys.error] as? ApusError)?.code == .connectFailed)
    }

    // MARK: Copies

    /// Parity: AFN-manager-copy
    @Test func copiesSettingsButNotTheSession() async throws {
        let test = TestManager()
        var requests = AFJSONRequestSerializer()
        try requests.setValue("blue", forHTTPHeaderField: "X-Request-Tag")
        test.manager.requestSerializer = requests
        test.manager.responseSerializer = AFHTTPResponseSerializer()
        var policy = AFSecurityPolicy.default
        policy.validatesDomainName = false
        try test.manager.setSecurityPolicy(policy)
        test.manager.completionGroup = DispatchGroup()
        test.manager.setTaskDidCompleteBlock { _, _ in Issue.record("a copy has no blocks") }
        let copy = test.manager.copy()
        #expect(copy.baseURL == test.manager.baseURL)
        #expect(copy.securityPolicy == policy)
        #expect(copy.completionQueue === test.manager.completionQueue)
        #expect(copy.completionGroup === test.manager.completionGroup)
        #expect(try copy.session !== test.manager.session)
        #expect(try copy.session.configuration.trust.verification == .chainOnly)
        _ = try await copy.post("x", parameters: ["a": 1]).object as? Data
        #expect(test.request?.fields[.contentType] == "application/json")
        #expect(test.request?.fields[HTTPField.Name.xRequestTag] == "blue")
        // Later changes do not affect the other manager.
        copy.responseSerializer = AFXMLDocumentResponseSerializer()
        #expect(test.manager.responseSerializer is AFHTTPResponseSerializer)
        test.manager.invalidateSession(cancelingTasks: true, resetSession: false)
        #expect(try await copy.get("x", serializer: AFHTTPResponseSerializer()).response.status == .ok)
    }

    /// Parity: AFN-manager-copy
    @Test func copiesShareTheCookieJar() async throws {
        let test = TestManager.settingCookies()
        _ = try await test.manager.get("login")
        let copy = test.manager.copy()
        _ = try await copy.get("page")
        #expect(test.transport.requests.last?.fields[.cookie] == "sid=1")
        let jar = try #require(test.manager.cookies)
        #expect(copy.cookies === jar)
        jar.removeAll()
        _ = try await copy.get("page")
        #expect(test.transport.requests.last?.fields[.cookie] == nil)
        // Another manager has a jar of its own.
        #expect(HTTPSessionManager().cookies !== HTTPSessionManager().cookies)
    }

    // MARK: State that outlasts a session

    /// Parity: AFN-manager-session
    @Test func keepsItsSessionWhenBlocksAreSet() async throws {
        let test = TestManager()
        let session = try test.manager.session
        test.manager.setDataTaskDidReceiveResponseBlock { _, _ in .allow }
        #expect(try test.manager.session === session)
        _ = try await test.manager.get("x")
        test.manager.setDataTaskDidReceiveDataBlock { _, _ in }
        test.manager.setDataTaskDidReceiveResponseBlock(nil)
        #expect(try test.manager.session === session)
        test.manager.setDataTaskDidReceiveDataBlock(nil)
        try test.manager.setSecurityPolicy(.default)
        #expect(try test.manager.session === session)
    }

    /// Parity: AFN-manager-session
    @Test func keepsItsCookiesAfterAResetAndWithAnotherPolicy() async throws {
        let test = TestManager.settingCookies()
        _ = try await test.manager.get("login")
        test.manager.setDataTaskDidReceiveDataBlock { _, _ in }
        _ = try await test.manager.get("page")
        #expect(test.transport.requests.last?.fields[.cookie] == "sid=1")
        var policy = AFSecurityPolicy.default
        policy.validatesDomainName = false
        try test.manager.setSecurityPolicy(policy)
        _ = try await test.manager.get("page")
        #expect(test.transport.requests.last?.fields[.cookie] == "sid=1")
        test.manager.invalidateSession(cancelingTasks: true, resetSession: true)
        _ = try await test.manager.get("page")
        #expect(test.transport.requests.last?.fields[.cookie] == "sid=1")
        #expect(try test.manager.session.cookies === test.manager.cookies)
    }

    @Test func hasNoCookiesIfTheyAreOff() async throws {
        var configuration = SessionConfiguration()
        configuration.cookies = .off
        let test = TestManager.settingCookies(configuration)
        #expect(test.manager.cookies == nil)
        _ = try await test.manager.get("login")
        _ = try await test.manager.get("page")
        #expect(test.transport.requests.last?.fields[.cookie] == nil)
    }

    /// The server challenges only the first request: the manager remembers the credential that was accepted.
    /// Parity: AFN-manager-session
    @Test func keepsItsConnectionsAndCredentials() async throws {
        var configuration = SessionConfiguration()
        configuration.credentials = CredentialSource { _ in .user("ada", password: "secret") }
        try await TestServer.with { [configuration] server in
            let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")), configuration: configuration)
            _ = try await manager.get("basic-auth/ada/secret")
            #expect(server.requestCount == 2)
            let connections = server.acceptedConnections
            manager.setDataTaskDidReceiveDataBlock { _, _ in }
            _ = try await manager.get("basic-auth/ada/secret")
            #expect(server.requestCount == 3)
            #expect(server.acceptedConnections == connections)
            manager.invalidateSession(cancelingTasks: true, resetSession: true)
            _ = try await manager.get("basic-auth/ada/secret")
            #expect(server.requestCount == 4)
            _ = try await manager.copy().get("basic-auth/ada/secret")
            #expect(server.requestCount == 5)
            try await assertNothingLeft(manager.session)
        }
    }

    // MARK: Descriptions

    /// Parity: AFN-manager-description
    @Test func describesItselfWithoutSecrets() throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "https://ada:hunter2@api.example.org/v1?key=hunter2"))
        try manager.updateRequestSerializer { try $0.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization") }
        let text = "\(manager)"
        #expect(text.hasPrefix("HTTPSessionManager(baseURL: https://"))
        #expect(text.contains("api.example.org/v1/"))
        #expect(text.hasSuffix("requests: AFHTTPRequestSerializer, responses: AFJSONResponseSerializer, tasks: 0)"))
        var dumped = ""
        dump(manager, to: &dumped)
        for text in [text, String(reflecting: manager), dumped] { #expect(!text.contains("hunter2")) }
        #expect("\(HTTPSessionManager())".contains("baseURL: none"))
    }

    /// Parity: AFN-manager-names
    @Test func hasTheNamesOfAFNetworking() {
        let managers: [HTTPSessionManager] = [AFHTTPSessionManager(), AFURLSessionManager()]
        #expect(managers.allSatisfy { $0.responseSerializer is AFJSONResponseSerializer })
    }

    @Test func appliesANewPolicyToLaterTasks() async throws {
        let barrier = Barrier()
        let test = TestManager.hanging(barrier)
        let first = try test.manager.session
        let running = Task { try await test.manager.get("x").response.status }
        await barrier.reached()
        var policy = AFSecurityPolicy.default
        policy.validatesDomainName = false
        try test.manager.setSecurityPolicy(policy)
        #expect(try test.manager.session !== first)
        barrier.open()
        #expect(try await running.value == .ok)
    }

    /// Parity: AFN-http-pinning
    @Test func acceptsPinsOnlyForHTTPS() throws {
        let pins = try AFSecurityPolicy.pinning(TestTLS.authorityPEM)
        let manager = HTTPSessionManager(baseURL: URL(string: "http://api.example.org/"))
        let error = #expect(throws: ApusError.self) { try manager.setSecurityPolicy(pins) }
        #expect(error?.code == .invalidConfiguration)
        #expect(manager.securityPolicy == .default)
        try HTTPSessionManager(baseURL: TestManager.base).setSecurityPolicy(pins)
    }

    /// Parity: AFN-trust-error
    @Test func trustsServersAsThePolicyDecides() async throws {
        for (tls, isTrusted) in [(TestTLS.localhost, true), (.selfSigned, false)] {
            try await TestServer.with(tls: tls) { server in
                let manager = HTTPSessionManager(baseURL: URL(string: server.url("/")))
                try manager.setSecurityPolicy(try .pinning(TestTLS.authorityPEM))
                let error = await failure { () throws(ApusError) in try await manager.get("get") }
                #expect(error?.code == (isTrusted ? nil : .certificateRejected))
                #expect(error?.underlying as? CertificateRejection == (isTrusted ? nil : .selfSigned))
                try await assertNothingLeft(manager.session)
            }
        }
    }

    // MARK: Subclasses

    @Test func callsTheOverrideForEachTask() async throws {
        let transport = MockTransport { _ in MockResponse(fields: TestManager.json, body: "{}") }
        let client = StampingManager(baseURL: TestManager.base, transport: transport)
        _ = try await client.get("x")
        _ = await callResult { client.post("y", success: $0, failure: $1) }
        #expect(transport.requests.map { $0.fields[.referer] } == ["stamped", "stamped"])
        #expect(client.made == 2)
        #expect("\(client)".hasPrefix("StampingManager(baseURL: https://api.example.org/v1/"))
    }
}

/// A subclass that needs no actor.
private final class StampingManager: HTTPSessionManager, @unchecked Sendable {
    private let count = LockedList<Void>()

    var made: Int { count.count }

    override func dataTask<Serializer: AFURLResponseSerialization>(
        with request: RequestMessage,
        options: RequestOptions,
        serializer: Serializer,
        queue: DispatchQueue?,
        uploadProgress: ProgressBlock?,
        downloadProgress: ProgressBlock?,
        completionHandler: @escaping Completion<Serializer.ResponseObject>
    ) -> SessionTask {
        count.append(())
        var request = request
        request.fields[.referer] = "stamped"
        return super.dataTask(
            with: request,
            options: options,
            serializer: serializer,
            queue: queue,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            completionHandler: completionHandler
        )
    }
}

extension HTTPField.Name {
    fileprivate static let xRequestTag = HTTPField.Name("X-Request-Tag") ?? .accept
}

extension AFSecurityPolicy {
    /// Returns a policy that pins the certificate of a PEM text, which the system does not have to know.
    fileprivate static func pinning(_ pem: String) throws -> AFSecurityPolicy {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        var policy = AFSecurityPolicy(pinningMode: .certificate, pinnedCertificates: [der])
        policy.allowInvalidCertificates = true
        return policy
    }
}
