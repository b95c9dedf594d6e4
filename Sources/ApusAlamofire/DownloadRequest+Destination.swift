public import Apus
public import Foundation

extension DownloadRequest {
    /// A closure that returns the destination of a file. Its first parameter is the request, and not a temporary URL.
    public typealias Destination = DownloadDestination.Choice

    /// Options for moving the file to its destination.
    public typealias Options = DownloadDestination.Options

    /// Returns a destination in a folder of the system. The file name is that of the response's `Content-Disposition`
    /// field, else the last component of the URL.
    ///
    /// - Parameters:
    ///   - directory: The folder. Default: `.documentDirectory`.
    ///   - domain: The domain of the folder. If it has none, the folder for temporary files is used. Default:
    ///     `.userDomainMask`.
    ///   - options: Options for moving the file there. Default: none.
    /// - Returns: The destination.
    public static func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory = .documentDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask,
        options: Options = []
    ) -> Destination {
        let folder = FileManager.default.urls(for: directory, in: domain).first ?? URL.temporaryDirectory
        return { request, response in
            let name = response.suggestedFileName(for: request.target)
            return (folder.appending(path: name, directoryHint: .notDirectory), options)
        }
    }
}
