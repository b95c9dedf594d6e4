public import Foundation
internal import HTTPTypes

extension Session {
    /// Creates a request handle that continues a download from its resume data.
    ///
    /// It requests the rest of the file. If the server has another version of the file by now, or if the part is gone,
    /// the file is downloaded from the beginning. If this download fails too, its property
    /// ``DownloadRequest/resumeData`` has resume data again. While another download uses the part, this one fails with
    /// `fileInUse`.
    ///
    /// - Parameters:
    ///   - data: The resume data of ``DownloadRequest/cancel(byProducingResumeData:)``. It contains the URL of the
    ///     request, and none of its fields.
    ///   - fields: The header fields, for example those that the first request was sent with. The session's default
    ///     fields are added. Default: none.
    ///   - destination: The destination of the file. Default: `nil`, that of the first request, without its options, so
    ///     that an existing file is an error. It is a temporary file if the first request had chosen none.
    ///   - options: Options that override the session's settings for this request. Those of the first request are not
    ///     in the data. Default: none.
    /// - Returns: The handle. It fails with `resumeDataInvalid` if the data was not made by a download.
    public func download(
        resumingWith data: Data,
        fields: RequestFields = [:],
        to destination: DownloadDestination? = nil,
        options: RequestOptions = .none
    ) -> DownloadRequest {
        do throws(ApusError) {
            let resumed = try ResumeData(data)
            let former = resumed.destination.map { DownloadDestination.file(URL(filePath: $0)) }
            let download = PartialDownload(to: destination ?? former ?? .temporary, resuming: resumed)
            let source = source(resumed.record.url, .get, [], fields, .none)
            return DownloadRequest(
                task: RequestTask(core: core, source: source, options: options, download: download)
            )
        } catch {
            let download = PartialDownload(to: destination ?? .temporary)
            return DownloadRequest(
                task: RequestTask(core: core, source: .failure(error), options: options, download: download)
            )
        }
    }
}
