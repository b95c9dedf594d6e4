public import Foundation
public import HTTPTypes

/// A request whose response body is collected in memory.
///
/// ```swift
/// session.request("https://api.example.org/users/1")
///     .validate()
///     .responseDecodable(of: User.self) { response in
///         print(response.result)
///     }
/// ```
public final class DataRequest: SerializableRequest {
    public typealias Body = Data

    public let storage: RequestStorage

    init(task: RequestTask) {
        self.storage = RequestStorage(task: task)
    }

    /// The response body. `nil` until the exchange is complete.
    public var data: Data? { task.raw?.data }

    /// Adds a validator that sees the complete response body. It runs after all validators of the response head, in
    /// whatever order they were added. Those run before the body is collected.
    ///
    /// - Parameter validation: Receives the request, the response head and the body. It may block: it runs on the
    ///   global executor unless the session is configured otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse, Data) -> ValidationResult
    ) -> Self {
        task.append(.custom(validation))
        return self
    }

    /// Passes the response body to a completion handler, without a serializer. ``SerializableRequest`` describes the
    /// parameters.
    @discardableResult
    public func response(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void
    ) -> Self {
        task.respond(on: queue, with: { $0.data }, completionHandler)
        return self
    }
}

/// A request with a large body or a body from a file. The same handle under the common name for uploads.
///
/// If the server responds before it has read the whole body, the upload ends and the response counts.
public typealias UploadRequest = DataRequest

extension DataRequest: Hashable {
    /// Whether both are handles of the same request.
    public static func == (left: DataRequest, right: DataRequest) -> Bool { left.task === right.task }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(task)) }
}
