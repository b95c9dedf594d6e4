public import Apus

extension MockTransport {
    /// Creates a transport that returns the responses of an HTTP archive (HAR), which a `HARRecorder` or a browser has
    /// recorded.
    ///
    /// ```swift
    /// let archive = try HTTPArchive(contentsOf: URL(filePath: "/tmp/users.har"))
    /// let session = Session(transport: MockTransport(archive: archive))
    /// ```
    ///
    /// A request gets the response to the recorded one with its method and URL. Its fields and its body are not
    /// compared. Neither are the fragment and the order of the query's items. An item whose value was redacted (`…`)
    /// when it was recorded matches any value.
    ///
    /// The responses to identical requests are returned in their recorded order. After the last one, the last is
    /// repeated. A recorded exchange without a response fails with `connectFailed`, so that retries are repeated too.
    ///
    /// A request that was not recorded fails with `connectFailed`, and the error names the most similar recorded ones.
    /// A response whose body was not recorded fails too. A body that was cut off is returned as it was recorded: raise
    /// `HARLimits.contentBytes` of the recorder to record it whole. Entries whose URL is not `http` or `https` are
    /// ignored, and so are fields that are not valid.
    ///
    /// Archives have decoded bodies, so the response has no `Content-Encoding`, unless its body was recorded without
    /// decoding. Its `Content-Length` is that of the body. The text of a body is returned in UTF-8, and a `charset` is
    /// changed to match. Record with `includesSecrets` to replay credentials, cookies and binary bodies.
    ///
    /// - Parameter archive: The archive.
    public convenience init(archive: HTTPArchive) {
        let replay = ArchiveReplay(archive)
        self.init { request in try replay.response(to: request) }
    }
}
