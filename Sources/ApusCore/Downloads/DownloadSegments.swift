/// Downloads a file in several segments at the same time, as an option of a request.
///
/// ```swift
/// let file = try await session.download(
///     "https://example.org/archive.zip",
///     to: archive,
///     options: [DownloadSegments(4)]
/// )
/// ```
///
/// It helps if a server or the network limits the rate of each connection, or if the path is long. It is still one
/// request, with one file, one progress, and one error. The retriers, the deadline, ``TransferRateLimit``,
/// ``RequestPriority``, ``ExpectedDigest``, resume data and ``DownloadDestination/Options/resumePartialFile`` count for
/// all segments together. A suspended request suspends all of them.
///
/// The first exchange asks for the whole file, with `Range: bytes=0-`. If the response is a 206 with the size of the
/// file and a strong validator (RFC 9110 §8.8.1), and without a content coding, it becomes the first segment. Further
/// exchanges request the others, with `Range` and `If-Range`, and have the cause ``ExchangeCause/segment``. The
/// response of the request is that of the first exchange. From any other server, and if a validator rejects the head of
/// the 206, the file is downloaded as usual. A validator of the file runs once, with the whole file and that head.
///
/// - Bytes of different versions are never mixed. If the server has another version by the time that a segment is
///   requested, or sends other ranges than the requested ones, the file is downloaded from the beginning as usual.
/// - A segment whose connection breaks is continued at the first byte that is missing. It has failed after three
///   exchanges in a row without progress.
/// - A segment that has failed, gets no connection, or is refused with a status such as 429 or 503, is left to the
///   others that still run. Without any, the request fails with the error of the segment, which names its bytes.
///
/// Over HTTP/1.1 each segment takes a connection to the origin, so there are at most `pool.connectionsPerOrigin`, and
/// other requests to the origin may have to wait. The connection of the first one is closed at the end of its segment.
/// Over HTTP/2 the segments are streams of one connection, which rarely makes a download faster.
///
/// The option has no effect on requests that write no file, have another method than GET, a body, or a `Range` field.
public struct DownloadSegments: RequestOption, Hashable {
    /// The maximum of `count`: 16.
    public static let maximumCount = 16

    /// The number of segments that are fetched at the same time, at least 1. Default: 4.
    public let count: Int
    /// The minimum size of a segment, at least 1. A file of less than twice this size is downloaded as usual. Default:
    /// 1 MiB.
    public let minimumBytes: Int

    /// Creates the option.
    ///
    /// - Parameters:
    ///   - count: The number of segments that are fetched at the same time, from 1 to `maximumCount`. Another number is
    ///     replaced by the nearest one. Default: 4.
    ///   - minimumBytes: The minimum size of a segment, at least 1. Default: 1 MiB.
    public init(_ count: Int = 4, minimumBytes: Int = 1 << 20) {
        self.count = min(max(1, count), Self.maximumCount)
        self.minimumBytes = max(1, minimumBytes)
    }
}
