public import Foundation
public import HTTPTypes

/// Returns the URL of a downloaded file without reading the file.
public struct URLResponseSerializer: DownloadResponseSerializer {
    /// Creates a serializer.
    public init() {}

    public func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> URL {
        fileURL
    }
}
