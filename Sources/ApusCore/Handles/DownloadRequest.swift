public import Foundation
public import HTTPTypes

/// A request whose answer goes into a file, chunk by chunk.
///
/// ```swift
/// session.download("https://example.org/archive.zip", to: .temporary)
///     .validate()
///     .downloadProgress { completed, total in print(completed, total ?? -1) }
///     .responseURL { response in
///         print(response.result)
///     }
/// ```
///
/// The content is written to a temporary file beside its destination. The file is moved to the destination when it is
/// complete, every validator has accepted it and no retrier wants another attempt. A failure leaves no file, and a file
/// that was at the destination stays. The error has the content of a refused answer, up to `limits.errorBodyBytes`.
public final class DownloadRequest: Request {
    public let engineRoom: RequestEngineRoom

    init(task: RequestTask) {
        self.engineRoom = RequestEngineRoom(task: task)
    }

    /// Where the content is; `nil` until it is there.
    public var fileURL: URL? {
        guard let file = task.raw?.file, file.isInPlace else { return nil }
        return file.destination
    }

    /// Asks `validation` once the content is written, and before it is put in its place.
    ///
    /// - Parameter validation: Given what was asked for, the head and the temporary file. It may block: it runs on the
    ///   global executor unless the session says otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse, URL) -> ValidationResult
    ) -> Self {
        task.append(.customFile(validation))
        return self
    }
}
