public import Apus
internal import ApusCore
public import Foundation
public import HTTPTypes

/// Makes requests in AFNetworking's manner: a base URL, a serializer for requests and one for answers, and tasks that tell
/// a closure of success or failure.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/v1/"))
/// let (object, response) = try await manager.get("users", parameters: ["page": 2])
/// print(response.status, object ?? "nothing")
/// ```
///
/// Nothing has to be invalidated: a manager that nobody holds goes away, and its session with the last task that runs.
///
/// ## Subclassing
/// Every task is made by `dataTask(with:options:serializer:queue:uploadProgress:downloadProgress:completionHandler:)` or
/// its sisters for uploads and downloads: override them to change requests, or to see each answer.
///
/// All that a manager has is safe from anywhere, and calls for no actor. The main actor is there for subclasses: what
/// they store and declare belongs to it unless it is `nonisolated`, so that the compiler checks it.
@MainActor
open class HTTPSessionManager {
    /// Told how far a content is, on a serial queue of the manager's.
    public typealias ProgressBlock = @Sendable (SessionTask.Progress) -> Void

    /// Told the task, the head of its answer, the object that was made of it, and why it failed; the last two may both be
    /// there.
    public typealias Completion<Object> = @Sendable (SessionTask, HTTPResponse?, Object?, ApusError?) -> Void

    /// Told of a success.
    public typealias Success = @Sendable (SessionTask, (any Sendable)?) -> Void

    /// Told of a failure; the task is `nil` where the request could not even be made.
    public typealias Failure = @Sendable (SessionTask?, ApusError) -> Void

    /// Says where the file of a download shall be, given a place in the folder for temporary files, whose last component
    /// is the name that the answer suggests, and the head of the answer.
    public typealias Destination = @Sendable (_ targetPath: URL, _ response: HTTPResponse) throws -> URL

    nonisolated let core: ManagerCore

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - baseURL: What relative URLs are resolved against; none by default. Its path gets a slash at its end.
    ///   - configuration: Everything that the session is told; the defaults by default.
    nonisolated public init(baseURL: URL? = nil, configuration: SessionConfiguration = SessionConfiguration()) {
        self.core = ManagerCore(baseURL: baseURL?.withSlash, configuration: configuration) { configuration in
            Session(configuration: configuration)
        }
    }

    /// Makes a manager over a transport: a mock, in a test.
    ///
    /// - Parameters:
    ///   - baseURL: What relative URLs are resolved against. Its path gets a slash at its end.
    ///   - configuration: Everything that the session is told; the defaults by default.
    ///   - transport: What carries its requests.
    nonisolated public init(
        baseURL: URL?,
        configuration: SessionConfiguration = SessionConfiguration(),
        transport: some Transport
    ) {
        self.core = ManagerCore(baseURL: baseURL?.withSlash, configuration: configuration) { configuration in
            Session(configuration: configuration, transport: transport)
        }
    }

    /// Makes a manager that is told the same as another, but for its blocks.
    ///
    /// - Parameter manager: The other manager; it keeps a session of its own.
    nonisolated public init(copying manager: HTTPSessionManager) {
        self.core = manager.core.copy()
    }

    /// A manager with the same base URL, configuration, serializers, policy, reachability, and completion queue and group,
    /// and with a session of its own. It has none of the blocks, which often hold the manager that they were given to.
    ///
    /// A subclass overrides it to make one of its own kind.
    nonisolated open func copy() -> HTTPSessionManager { HTTPSessionManager(copying: self) }

    // MARK: What a manager is told

    /// What relative URLs are resolved against, with a slash at the end of its path.
    nonisolated public var baseURL: URL? { core.baseURL }

    /// What the session is told, but for the security policy.
    nonisolated public var configuration: SessionConfiguration { core.configuration }

    /// What puts parameters and fields into requests; an `AFHTTPRequestSerializer` by default.
    ///
    /// It is read when a request is made. Reading and writing are safe from anywhere, each by itself.
    nonisolated public var requestSerializer: any AFHTTPRequestSerialization {
        get { core.requestSerializer }
        set { core.requestSerializer = newValue }
    }

    /// What makes objects of answers; an `AFJSONResponseSerializer` by default.
    ///
    /// It is read when a task is made.
    nonisolated public var responseSerializer: any AFURLResponseSerialization {
        get { core.responseSerializer }
        set { core.responseSerializer = newValue }
    }

    /// Where completion handlers are called; `nil`, the default, is the main queue, which on Linux runs only under an
    /// async `main`, `dispatchMain()` or a `RunLoop`.
    nonisolated public var completionQueue: DispatchQueue? {
        get { core.completionQueue }
        set { core.completionQueue = newValue }
    }

    /// The group that completion handlers are in while they wait for their queue and run; `nil`, the default, is one of
    /// the manager's own.
    nonisolated public var completionGroup: DispatchGroup? {
        get { core.completionGroup }
        set { core.completionGroup = newValue }
    }

    /// What tells how the network can be reached; `AFNetworkReachabilityManager.shared` by default, which does not look
    /// before it is told to.
    ///
    /// The manager itself asks nothing of it: what stands in the way of a request is the request's error.
    nonisolated public var reachabilityManager: AFNetworkReachabilityManager {
        get { core.reachabilityManager }
        set { core.reachabilityManager = newValue }
    }

    /// Whom the manager trusts.
    nonisolated public var securityPolicy: AFSecurityPolicy { core.securityPolicy }

    /// Says whom the manager trusts; for tasks that begin from now on.
    ///
    /// - Parameter policy: The policy.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, where the policy can't be kept to, would refuse every
    ///   server, or has pins while the base URL is not of the scheme `https`.
    nonisolated public func setSecurityPolicy(_ policy: AFSecurityPolicy) throws(ApusError) {
        try core.setSecurityPolicy(policy)
    }

    // MARK: Tasks, which begin when they are resumed

    /// Makes a task that collects its answer in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: What this request sets otherwise than the session.
    ///   - serializer: What makes an object of the answer.
    ///   - queue: Where `completionHandler` is called; with `nil` on the completion queue.
    ///   - uploadProgress: Told how much of the request's content was sent.
    ///   - downloadProgress: Told how much of the answer's content is here.
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

    /// Makes a task that sends a content, and collects its answer in memory.
    ///
    /// - Parameters:
    ///   - request: The request without its content.
    ///   - options: What this request sets otherwise than the session.
    ///   - content: Makes the content when the task begins; `nil` leaves the request the one it has.
    ///   - serializer: What makes an object of the answer.
    ///   - queue: Where `completionHandler` is called; with `nil` on the completion queue.
    ///   - progress: Told how much of the content was sent.
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

    /// Makes a task whose answer goes into a file.
    ///
    /// An answer that the manager's response serializer refuses leaves no file; its content is in the error, up to
    /// `limits.errorBodyBytes`. A file that can't be put in its place is an error too.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: What this request sets otherwise than the session.
    ///   - queue: Where `completionHandler` is called; with `nil` on the completion queue.
    ///   - progress: Told how much of the content is here.
    ///   - destination: Says where the file shall be, when the head of the answer is here; with `nil` it is one of its
    ///     own in the folder for temporary files.
    ///   - fileOptions: What may be done to put the file there; nothing by default.
    ///   - completionHandler: Called exactly once, with where the file is.
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

/// A request whose content is made when it begins.
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
    /// The URL with a slash at the end of its path, where it has one.
    fileprivate var withSlash: URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true),
            !components.percentEncodedPath.isEmpty, !components.percentEncodedPath.hasSuffix("/")
        else { return absoluteURL }
        components.percentEncodedPath += "/"
        return components.url ?? absoluteURL
    }
}
