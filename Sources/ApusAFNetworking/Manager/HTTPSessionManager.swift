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
/// ## Subclassing
/// All tasks are created by
/// `dataTask(with:options:serializer:queue:uploadProgress:downloadProgress:completionHandler:)` and its counterparts
/// for uploads and downloads. Override them to change requests or inspect responses.
///
/// All members of a manager are thread-safe and need no actor. The main actor is for subclasses: their stored
/// properties and methods are isolated to it unless declared `nonisolated`, so that the compiler checks them.
@MainActor
open class HTTPSessionManager {
    /// Called with the progress of a body, on a serial queue of the manager.
    public typealias ProgressBlock = @Sendable (SessionTask.Progress) -> Void

    /// Called with the task, the response head, the serialized object and the error. Both object and error may be set.
    public typealias Completion<Object> = @Sendable (SessionTask, HTTPResponse?, Object?, ApusError?) -> Void

    /// Called after a success, with the task and the object.
    public typealias Success = @Sendable (SessionTask, (any Sendable)?) -> Void

    /// Called after a failure. The task is `nil` if the request could not be created.
    public typealias Failure = @Sendable (SessionTask?, ApusError) -> Void

    /// Returns the destination of a download, given a URL in the temporary folder with the file name that the response
    /// suggests, and the response head.
    public typealias Destination = @Sendable (_ targetPath: URL, _ response: HTTPResponse) throws -> URL

    nonisolated let core: ManagerCore

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - baseURL: The base of relative URLs. Its path is extended by a final slash. Default: `nil`.
    ///   - configuration: The configuration of the session. Default: `SessionConfiguration()`.
    nonisolated public init(baseURL: URL? = nil, configuration: SessionConfiguration = SessionConfiguration()) {
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
    nonisolated public init(
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
    /// - Parameter manager: The other manager. The new one has a separate session.
    nonisolated public init(copying manager: HTTPSessionManager) {
        self.core = manager.core.copy()
    }

    /// Returns a manager with a separate session but the same base URL, configuration, serializers, policy,
    /// reachability, completion queue and group. The blocks are not copied, because they often capture their manager.
    ///
    /// Subclasses override it to return their own type.
    nonisolated open func copy() -> HTTPSessionManager { HTTPSessionManager(copying: self) }

    // MARK: Configuration

    /// The base of relative URLs, whose path ends with a slash.
    nonisolated public var baseURL: URL? { core.baseURL }

    /// The configuration of the session, except for the security policy.
    nonisolated public var configuration: SessionConfiguration { core.configuration }

    /// The serializer that adds parameters and fields to requests. Default: `AFHTTPRequestSerializer`.
    ///
    /// Read when a request is created. Each read and write is thread-safe.
    nonisolated public var requestSerializer: any AFHTTPRequestSerialization {
        get { core.requestSerializer }
        set { core.requestSerializer = newValue }
    }

    /// The serializer that converts responses to objects. Default: `AFJSONResponseSerializer`.
    ///
    /// Read when a task is created.
    nonisolated public var responseSerializer: any AFURLResponseSerialization {
        get { core.responseSerializer }
        set { core.responseSerializer = newValue }
    }

    /// The queue of completion handlers. `nil` means the main queue, which on Linux runs only with an async `main`,
    /// `dispatchMain()` or a `RunLoop`. Default: `nil`.
    nonisolated public var completionQueue: DispatchQueue? {
        get { core.completionQueue }
        set { core.completionQueue = newValue }
    }

    /// The group that completion handlers belong to until they return. `nil` means a private group of the manager.
    /// Default: `nil`.
    nonisolated public var completionGroup: DispatchGroup? {
        get { core.completionGroup }
        set { core.completionGroup = newValue }
    }

    /// The reachability manager. It must be started to monitor the network. Default:
    /// `AFNetworkReachabilityManager.shared`.
    ///
    /// The manager itself does not use it. An unreachable server is reported as the error of the request.
    nonisolated public var reachabilityManager: AFNetworkReachabilityManager {
        get { core.reachabilityManager }
        set { core.reachabilityManager = newValue }
    }

    /// The rules by which the manager trusts servers.
    nonisolated public var securityPolicy: AFSecurityPolicy { core.securityPolicy }

    /// Sets the rules by which the manager trusts servers. They apply to tasks that start after this call.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the policy cannot be applied, would reject every
    ///   server, or has pins although the base URL's scheme is not `https`.
    nonisolated public func setSecurityPolicy(_ policy: AFSecurityPolicy) throws(ApusError) {
        try core.setSecurityPolicy(policy)
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
    nonisolated open func dataTask<Serializer: AFURLResponseSerialization>(
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
    nonisolated open func uploadTask<Serializer: AFURLResponseSerialization>(
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
    nonisolated open func downloadTask(
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
