public import Foundation
public import HTTPTypes

/// The destination of a downloaded file, chosen when the response head has arrived.
///
/// ```swift
/// let destination = DownloadDestination { request, response in
///     (folder.appending(path: "\(response.status.code).zip"), [.removePreviousFile])
/// }
/// let file = try await session.download("https://example.org/archive.zip", to: destination).serializingURL().value
/// ```
public struct DownloadDestination: Sendable {
    /// Options for moving the file to its destination.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Creates missing parent folders of the destination. Without this option a missing folder is an error.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// Keeps the received bytes if the download fails, and continues them in the next download to the same file.
        ///
        /// The part is beside the destination, and has its name with `.part` appended. A file whose name ends in
        /// `.part.json` has its URL, its validator and its length. The part is only kept and continued if the server
        /// has named the version of the file by a strong validator (RFC 9110 §8.8.1), so the request asks for no
        /// compression. If the server has another version by then, or if the part has another URL, the download begins
        /// anew. The query of the URL may change. While one download uses a part, another one fails with
        /// `fileInUse`. A request with a `Range` field of its own continues no part.
        ///
        /// It is for a destination that is known before the response: ``DownloadDestination/file(_:options:)``. With
        /// other destinations it has no effect.
        public static let resumePartialFile = Options(rawValue: 1 << 2)
        /// Replaces an existing file, once the new one is complete. Without this option the download fails with
        /// `fileExists`, before the body is read.
        public static let removePreviousFile = Options(rawValue: 1 << 1)
    }

    /// A closure that returns the destination and its options for a request and its response head.
    ///
    /// The `target` of the request is that of the response: after redirects, the last one. The method, the fields and
    /// the body are those that the request was made with.
    public typealias Choice = @Sendable (RequestMessage, HTTPResponse) throws -> (URL, Options)

    let choose: Choice
    /// The destination, if it does not depend on the response.
    let fixed: (url: URL, options: Options)?

    /// Creates a destination that is chosen by a closure.
    ///
    /// - Parameter choose: Called for each attempt, when the response head has arrived. It may block. If it throws, the
    ///   download fails with that error if it is an `ApusError`, otherwise with `fileUnwritable` because of it.
    public init(_ choose: @escaping Choice) {
        self.choose = choose
        self.fixed = nil
    }

    private init(_ url: URL, _ options: Options) {
        self.choose = { _, _ in (url, options) }
        self.fixed = (url, options)
    }

    /// Returns a destination with a fixed file URL.
    ///
    /// - Parameters:
    ///   - url: The file URL of the destination.
    ///   - options: Options for moving the file there. Default: none.
    /// - Returns: The destination.
    public static func file(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination(url, options)
    }

    /// Returns a destination in a folder. The file name is that of the response's `Content-Disposition` field, else the
    /// last component of the URL, after redirects that of the last one. A server can choose neither another folder nor
    /// a hidden file.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - options: Options for moving the file there. Default: none.
    /// - Returns: The destination.
    public static func folder(_ folder: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination { request, response in
            let name = response.suggestedFileName(for: request.target)
            return (folder.appending(path: name, directoryHint: .notDirectory), options)
        }
    }

    /// A unique file in the folder for temporary files. The caller must remove it.
    public static let temporary = DownloadDestination { _, _ in
        (URL.temporaryDirectory.appending(path: "Apus_\(UUID().uuidString)"), [])
    }
}
