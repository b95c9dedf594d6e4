public import Foundation
public import HTTPTypes

/// Where the content of a download is, without looking at it.
public struct URLResponseSerializer: DownloadResponseSerializer {
    /// Makes a serializer.
    public init() {}

    public func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> URL {
        fileURL
    }
}
