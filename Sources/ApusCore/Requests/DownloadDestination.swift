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

        /// Creates missing parent folders of the destination.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// Replaces an existing file, once the new one is complete. Without this option the download fails.
        public static let removePreviousFile = Options(rawValue: 1 << 1)
    }

    /// A closure that returns the destination and its options for a request and its response head.
    ///
    /// The `target` of the request is that of the response: after redirects, the last one. The method, the fields and
    /// the body are those that the request was made with.
    public typealias Choice = @Sendable (RequestMessage, HTTPResponse) throws -> (URL, Options)

    let choose: Choice

    /// Creates a destination that is chosen by a closure. The closure may block.
    public init(_ choose: @escaping Choice) {
        self.choose = choose
    }

    /// Returns a destination with a fixed file URL.
    ///
    /// - Parameters:
    ///   - url: The file URL of the destination.
    ///   - options: Options for moving the file there. Default: none.
    /// - Returns: The destination.
    public static func file(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination { _, _ in (url, options) }
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
