/// The limits of a download in segments. Their number is limited by `DownloadSegments.maximumCount`.
enum SegmentLimits {
    /// The number of exchanges in a row without progress after which a segment has failed.
    static let fruitlessExchanges = 3
    /// The number of bytes that are progress.
    static let progressBytes: Int64 = 16 << 10
    /// The number of written bytes after which the record of the part is stored.
    static let unsavedBytes: Int64 = 8 << 20
    /// The time since the record was stored last after which it is stored again.
    static let unsavedTime = Duration.seconds(1)
}
