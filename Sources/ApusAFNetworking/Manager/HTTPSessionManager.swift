public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// Makes requests as in AFNetworking: with a base URL, serializers for requests and responses, and tasks that call a
/// success or a failure closure.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/v1/"))
/// let (object, response) = try await manager.get("users", parameters: ["page": 2])
/// print(response.status, object ?? "nothing")
/// ```
///
/// Invalidation is optional: an unreferenced manager is released, and its session after the last running task.
///
/// ## Cookies, connections and credentials
/// A manager has one cookie jar and remembers the credentials that servers have accepted. Its copies share both. A
/// reset, or a policy with another trust, begins a new session: connections are made again, but cookies and credentials
/// are kept. A block never begins a new session.
///
/// ## Subclassing
/// All tasks are created by
/// `dataTask(with:options:serializer:queue:uploadProgress:downloadProgress:completionHandler:)` and its counterparts
/// for uploads and downloads. Override them to change requests or inspect responses.
///
/// All members of a manager are thread-safe and need no actor. A subclass has to repeat the unchecked conformance to
/// `Sendable`, since the compiler can't check a class with subclasses. Its properties must be constants, or guarded by
/// a lock. The guide *Migrating from AFNetworking* of `Apus` has an example.
///
/// Unchecked for that reason. Its only stored property is a constant of a type that is `Sendable`.
open class HTTPSessionManager: @unchecked Sendable, CustomStringConvertible {
    /// Called with the progress of a body, on a serial queue of the manager.
    public typealias ProgressBlock = @Sendable (SessionTask.Progress) -> Void

    /// Called with the task, the response head, the serialized object and the error. Both object and error may be set.
    public typealias Completion<Object> = @Sendable (SessionTask, HTTPResponse?, Object?, ApusError?) -> Void

    /// Called after a success, with the task and the object.
    public typealias Success = TypedSuccess<any Sendable>

    /// Called after a success, with the task and the object of the call's own response serializer.
    public typealias TypedSuccess<Object> = @Sendable (SessionTask, Object?) -> Void

    /// Called after a failure. The task is `nil` if the request could not be created.
    public typealias Failure = @Sendable (SessionTask?, ApusError) -> Void

    /// Returns the destination of a download, given a URL in the temporary folder with the file name that the response
    /// suggests, and the response head.
    public typealias Destination = @Sendable (_ targetPath: URL, _ response: HTTPResponse) throws -> URL

    let core: ManagerCore

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - baseURL: The base of relative URLs. Its path is extended by a final slash. Default: `nil`.
    ///   - configuration: The configuration of the session. Default: `SessionConfiguration()`.
    public init(baseURL: URL? = nil, configuration: SessionConfiguration = SessionConfiguration()) {
        self.core = ManagerCore(baseURL: baseURL?.withSlash, configuration: configuration) { configuration in
            Session(configuration: configuration)
        }
    }

    /// Creates a manager with a transport, such as a mock in tests.
    ///
    /// - Parameters:
    ///   - baseURL: The base of relative URLs. Its path is extended by a final slash.
    ///   - configuration: The configuration of the session. Default: `SessionConfiguration()`.
    ///   - transport: The transport that sends its requests.
    public init(
        baseURL: URL?,
        configuration: SessionConfiguration = SessionConfiguration(),
        transport: some Transport
    ) {
        self.core = ManagerCore(baseURL: baseURL?.withSlash, configuration: configuration) { configuration in
            Session(configuration: configuration, transport: transport)
        }
    }

    /// Creates a manager with the settings of another one, except for its blocks.
    ///
    /// - Parameter manager: The other manager. The new one has a separate session, but the same cookie jar.
    public init(copying manager: HTTPSessionManager) {
        self.core = manager.core.copy()
    }

    /// Returns a manager with a separate session but the same base URL, configuration, serializers, policy,
    /// reachability, completion queue and group. The blocks are not copied, because they often capture their manager.
    ///
    /// The copy shares the cookie jar and the remembered credentials, so it is logged in where the original is. A new
    /// manager has a jar of its own.
    ///
    /// Subclasses override it to return their own type.
    open func copy() -> HTTPSessionManager { HTTPSessionManager(copying: self) }

    // MARK: Configuration

    /// The base of relative URLs, whose path ends with a slash.
    public var baseURL: URL? { core.baseURL }

    /// The configuration of the session, except for the security policy. Its `cookies` are the manager's jar.
    public var configuration: SessionConfiguration { core.configuration }

    /// The cookie jar of the manager and its copies, or `nil` if the configuration has switched cookies off.
    public var cookies: CookieJar? {
        if case .jar(let jar) = core.configuration.cookies { jar } else { nil }
    }

    /// The serializer that adds parameters and fields to requests. Default: `AFHTTPRequestSerializer`.
    ///
    /// Read when a request is created. A change in place reads it and then sets it. Each of these is thread-safe. If
    /// several threads change it, use `updateRequestSerializer(_:)`.
    public var requestSerializer: any AFHTTPRequestSerialization {
        get { core.requestSerializer }
        set { core.requestSerializer = newValue }
    }

    /// Changes the request serializer in one step, so that no change by another thread is lost.
    ///
    /// ```swift
    /// try manager.updateRequestSerializer { try $0.setValue("blue", forHTTPHeaderField: "X-Request-Tag") }
    /// ```
    ///
    /// - Parameter change: Changes or replaces the serializer. Called again if another thread has set the serializer at
    ///   the same time. If it throws, nothing is changed.
    /// - Throws: The error of `change`.
    public func updateRequestSerializer<Failure: Error>(
        _ change: (inout any AFHTTPRequestSerialization) throws(Failure) -> Void
    ) throws(Failure) {
        try core.updateRequestSerializer(change)
    }

    /// The serializer that converts responses to objects. Default: `AFJSONResponseSerializer`.
    ///
    /// ```swift
    /// manager.responseSerializer.acceptableContentTypes = ["application/json", "text/html"]
    /// ```
    ///
    /// Read when a task is created. A change in place reads it and then sets it. Each of these is thread-safe. If
    /// several threads change it, use `updateResponseSerializer(_:)`. A serializer that only conforms to
    /// `AFURLResponseSerialization` is passed to a call as `serializer`, or set inside of an
    /// `AFCompoundResponseSerializer`.
    public var responseSerializer: any AFHTTPResponseSerialization {
        get { core.responseSerializer }
        set { core.responseSerializer = newValue }
    }

    /// Changes the response serializer in one step, so that no change by another thread is lost.
    ///
    /// ```swift
    /// manager.updateResponseSerializer { $0.acceptableStatusCodes?.insert(404) }
    /// ```
    ///
    /// - Parameter change: Changes or replaces the serializer. Called again if another thread has set the serializer at
    ///   the same time. If it throws, nothing is changed.
    /// - Throws: The error of `change`.
    public func updateResponseSerializer<Failure: Error>(
        _ change: (inout any AFHTTPResponseSerialization) throws(Failure) -> Void
    ) throws(Failure) {
        try core.updateResponseSerializer(change)
    }

    /// The queue of completion handlers. `nil` means the main queue, which on Linux runs only with an async `main`,
    /// `dispatchMain()` or a `RunLoop`. Default: `nil`.
    public var completionQueue: DispatchQueue? {
        get { core.completionQueue }
        set { core.completionQueue = newValue }
    }

    /// The group that completion handlers belong to until they return. `nil` means a private group of the manager.
    /// Default: `nil`.
    public var completionGroup: DispatchGroup? {
        get { core.completionGroup }
        set { core.completionGroup = newValue }
    }

    /// The reachability manager. It must be started to monitor the network. Default:
    /// `AFNetworkReachabilityManager.shared`.
    ///
    /// The manager itself does not use it. An unreachable server is reported as the error of the request.
    public var reachabilityManager: AFNetworkReachabilityManager {
        get { core.reachabilityManager }
        set { core.reachabilityManager = newValue }
    }

    /// The rules by which the manager trusts servers.
    public var securityPolicy: AFSecurityPolicy { core.securityPolicy }

    /// Sets the rules by which the manager trusts servers. They apply to tasks that start after this call.
    ///
    /// A policy with another trust begins a new session, since connections are not shared between different rules.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the policy cannot be applied, would reject every
    ///   server, or has pins although the base URL's scheme is not `https`.
    public func setSecurityPolicy(_ policy: AFSecurityPolicy) throws(ApusError) {
        try core.setSecurityPolicy(policy)
    }

    /// The class, the base URL, the serializers and the number of active tasks, without secrets.
    open var description: String {
        let base = baseURL.map { Redaction.url($0.absoluteString) } ?? "none"
        return "\(type(of: self))(baseURL: \(base), requests: \(type(of: requestSerializer)), "
            + "responses: \(type(of: responseSerializer)), tasks: \(tasks.count))"
    }

    // MARK: Tasks

    /// Creates a task that collects its response body in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Options that override the session's configuration.
    ///   - serializer: The response serializer.
    ///   - queue: The queue of `completionHandler`. `nil` means the completion queue. Default: `nil`.
    ///   - uploadProgress: Called with the upload progress of the request body.
    ///   - downloadProgress: Called with the download progress of the response body.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The task, suspended.
    open func dataTask<Serializer: AFURLResponseSerialization>(
        with request: RequestMessage,
        options: RequestOptions = .none,
        serializer: Serializer,
        queue: DispatchQueue? = nil,
        uploadProgress: ProgressBlock? = nil,
        downloadProgress: ProgressBlock? = nil,
        completionHandler: @escaping Completion<Serializer.ResponseObject>
    ) -> SessionTask {
        let progress = ProgressBlocks(upload: uploadProgress, download: downloadProgress)
        return core.collectingTask(
            .data,
            request,
            from: request,
            options,
            serializer,
            progress,
            on: queue,
            completionHandler
        )
    }

    /// Creates a task that sends a body, and collects its response body in memory.
    ///
    /// - Parameters:
    ///   - request: The request without its body.
    ///   - options: Options that override the session's configuration.
    ///   - content: Creates the body when the task starts. `nil` keeps the body of the request.
    ///   - serializer: The response serializer.
    ///   - queue: The queue of `completionHandler`. `nil` means the completion queue. Default: `nil`.
    ///   - progress: Called with the upload progress of the request body.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The task, suspended.
    open func uploadTask<Serializer: AFURLResponseSerialization>(
        with request: RequestMessage,
        options: RequestOptions = .none,
        content: (@Sendable () throws -> RequestBody)?,
        serializer: Serializer,
        queue: DispatchQueue? = nil,
        progress: ProgressBlock? = nil,
        completionHandler: @escaping Completion<Serializer.ResponseObject>
    ) -> SessionTask {
        core.collectingTask(
            .upload,
            request,
            from: Upload(request: request, content: content),
            options,
            serializer,
            ProgressBlocks(upload: progress),
            on: queue,
            completionHandler
        )
    }

    /// Creates a task that saves its response body in a file.
    ///
    /// A response that the manager's response serializer rejects leaves no file. Its body is in the error, up to
    /// `limits.errorBodyBytes`. A file that cannot be moved to its destination is also an error.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Options that override the session's configuration.
    ///   - queue: The queue of `completionHandler`. `nil` means the completion queue. Default: `nil`.
    ///   - progress: Called with the download progress of the response body.
    ///   - destination: Returns the destination of the file, when the response head arrives. `nil` means a unique file
    ///     in the temporary folder. Default: `nil`.
    ///   - fileOptions: The options for moving the file to its destination. Default: none.
    ///   - completionHandler: Called exactly once, with the location of the file.
    /// - Returns: The task, suspended.
    open func downloadTask(
        with request: RequestMessage,
        options: RequestOptions = .none,
        queue: DispatchQueue? = nil,
        progress: ProgressBlock? = nil,
        destination: Destination? = nil,
        fileOptions: DownloadDestination.Options = [],
        completionHandler: @escaping Completion<URL>
    ) -> SessionTask {
        core.downloadTask(
            request,
            options,
            ProgressBlocks(download: progress),
            to: destination,
            fileOptions,
            on: queue,
            completionHandler
        )
    }
}

extension HTTPSessionManager: CustomReflectable {
    /// Empty, since reflection would print fields and credentials.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The name of `HTTPSessionManager` in AFNetworking.
public typealias AFHTTPSessionManager = HTTPSessionManager

/// The name of the superclass of managers in AFNetworking. Apus has one class, for any URL.
public typealias AFURLSessionManager = HTTPSessionManager

/// A request whose body is created when the request starts.
private struct Upload: RequestConvertible {
    let request: RequestMessage
    let content: (@Sendable () throws -> RequestBody)?

    func asRequest() throws -> RequestMessage {
        guard let content else { return request }
        var request = request
        request.body = try content()
        return request
    }
}

extension URL {
    /// The URL with a final slash in its path, unless the path is empty.
    fileprivate var withSlash: URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true),
            !components.percentEncodedPath.isEmpty, !components.percentEncodedPath.hasSuffix("/")
        else { return absoluteURL }
        components.percentEncodedPath += "/"
        return components.url ?? absoluteURL
    }
}
