public import Foundation
public import HTTPTypes

/// Where the content of a download shall be, decided when the head of the answer is here.
///
/// ```swift
/// let destination = DownloadDestination { request, response in
///     (folder.appending(path: "\(response.status.code).zip"), [.removePreviousFile])
/// }
/// let file = try await session.download("https://example.org/archive.zip", to: destination).serializingURL().value
/// ```
public struct DownloadDestination: Sendable {
    /// What may be done to put the file in its place.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Folders on the way to the file are made.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
        /// A file that is there already is replaced, when the new one is whole; without it the download fails.
        public static let removePreviousFile = Options(rawValue: 1 << 1)
    }

    /// Says where to, given what was asked for and the head of the answer.
    public typealias Choice = @Sendable (RequestMessage, HTTPResponse) throws -> (URL, Options)

    let choose: Choice

    /// Makes a destination that is decided by code of yours; it may block.
    public init(_ choose: @escaping Choice) {
        self.choose = choose
    }

    /// One file.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - options: What may be done to put it there; nothing by default.
    /// - Returns: The destination.
    public static func file(_ url: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination { _, _ in (url, options) }
    }

    /// A file in a folder, under the name that the answer suggests: that of its `Content-Disposition`, else the last
    /// component of the URL. A server can't choose another folder, nor a hidden file.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - options: What may be done to put the file there; nothing by default.
    /// - Returns: The destination.
    public static func folder(_ folder: URL, options: Options = []) -> DownloadDestination {
        DownloadDestination { request, response in
            let name = SuggestedFileName.name(
                disposition: response.headerFields[.contentDisposition],
                path: request.target.path
            )
            return (folder.appending(path: name, directoryHint: .notDirectory), options)
        }
    }

    /// A file of its own in the folder for temporary files. It is the caller's to remove.
    public static let temporary = DownloadDestination { _, _ in
        (URL.temporaryDirectory.appending(path: "Apus_\(UUID().uuidString)"), [])
    }
}
