public import Foundation
public import HTTPTypes

/// A request whose response body is written to a file, chunk by chunk.
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
/// The body is written to a temporary file beside its destination. The file is moved to the destination when it is
/// complete, every validator has accepted it and no retrier wants another attempt. A failure leaves no file, and a file
/// that was at the destination stays. The error has the body of a rejected response, up to `limits.errorBodyBytes`.
public final class DownloadRequest: Request {
    public let storage: RequestStorage

    init(task: RequestTask) {
        self.storage = RequestStorage(task: task)
    }

    /// The URL of the downloaded file. `nil` until the file is at its destination.
    public var fileURL: URL? {
        guard let file = task.raw?.file, file.isInPlace else { return nil }
        return file.destination
    }

    /// Adds a validator that runs after the file is written, and before it is moved to its destination.
    ///
    /// - Parameter validation: Receives the request, the response head and the URL of the temporary file. It may block:
    ///   it runs on the global executor unless the session is configured otherwise.
    /// - Returns: The request.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (RequestMessage, HTTPResponse, URL) -> ValidationResult
    ) -> Self {
        task.append(.customFile(validation))
        return self
    }
}
