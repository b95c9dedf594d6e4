public import Foundation
public import HTTPTypes

/// A request whose answer is collected in memory.
///
/// ```swift
/// session.request("https://api.example.org/users/1")
///     .validate()
///     .responseDecodable(of: User.self) { response in
///         print(response.result)
///     }
/// ```
public final class DataRequest: Request {
    public let engineRoom: RequestEngineRoom

    init(task: RequestTask) {
        self.engineRoom = RequestEngineRoom(task: task)
    }

    /// The content of the answer; `nil` until the work on the wire is over.
    public var data: Data? { task.raw?.data }

    /// Asks `validation` once the content is here: after every condition on the head, which are asked before any of it
    /// is collected, in whatever order they were added.
    ///
    /// - Parameter validation: Given what was asked for, the head and the content. It may block: it runs on the
    ///   global executor unless the session says otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse, Data) -> ValidationResult
    ) -> Self {
        task.append(.custom(validation))
        return self
    }
}

/// A request whose content is large or comes from a file: the same handle, under the name that uploads are known by.
public typealias UploadRequest = DataRequest
