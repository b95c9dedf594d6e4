/// Limits the resources that the server of one HTTP/2 connection may use.
///
/// Each limit is inclusive: a server may reach it. One more is an error that names the limit.
package struct HTTP2Limits: Sendable, Hashable {
    /// The maximum size of a header list: the sum of the lengths of names and values, and 32 bytes for each line.
    package var headerListBytes: Int

    /// The maximum number of field lines in one head, and in one trailer section.
    package var fieldCount: Int

    /// The maximum number of informational (1xx) responses before a final response.
    package var informationalResponses: Int

    /// The maximum size of a trailer section, counted as `headerListBytes`.
    package var trailerBytes: Int

    /// The maximum size of a header block in bytes as received, that is compressed.
    package var headerBlockBytes: Int

    /// The maximum number of CONTINUATION frames in one header block.
    package var continuationFrames: Int

    /// The number of tokens for SETTINGS frames, acknowledgements excluded. See `HTTP2FloodGuard`.
    package var settingsFrames: Int

    /// The number of tokens for PING frames, acknowledgements excluded. See `HTTP2FloodGuard`.
    package var pingFrames: Int

    /// The number of tokens for frames that carry nothing. See `HTTP2FloodGuard`.
    package var emptyFrames: Int

    /// The number of tokens for RST_STREAM frames. See `HTTP2FloodGuard`.
    package var resets: Int

    /// The number of tokens for WINDOW_UPDATE frames. See `HTTP2FloodGuard`.
    package var windowUpdates: Int

    /// The maximum number of acknowledgements of SETTINGS and PING that wait to be written.
    package var pendingAcknowledgements: Int

    /// The maximum number of open streams. The server's limit applies too.
    package var concurrentStreams: Int

    /// The maximum receive window of a stream. The first window is not larger.
    package var streamWindowBytes: Int

    /// The size of the connection's receive window. It also bounds the sum by which the windows of streams grow.
    package var connectionWindowBytes: Int

    /// Creates limits. The defaults are for tests: a session sets its own.
    ///
    /// - Parameters:
    ///   - headerListBytes: The maximum size of a header list. Default: 64 KiB.
    ///   - fieldCount: The maximum number of field lines in one section. Default: 200.
    ///   - informationalResponses: The maximum number of informational responses before a final one. Default: 16.
    ///   - trailerBytes: The maximum size of a trailer section. Default: 16 KiB.
    ///   - headerBlockBytes: The maximum size of a header block, capped at 16 MiB. Default: 128 KiB.
    ///   - continuationFrames: The maximum number of CONTINUATION frames in one header block. Default: 64.
    ///   - settingsFrames: The number of tokens for SETTINGS frames. Default: 100.
    ///   - pingFrames: The number of tokens for PING frames. Default: 1,000.
    ///   - emptyFrames: The number of tokens for frames that carry nothing. Default: 1,000.
    ///   - resets: The number of tokens for RST_STREAM frames. Default: 1,000.
    ///   - windowUpdates: The number of tokens for WINDOW_UPDATE frames. Default: 10,000.
    ///   - pendingAcknowledgements: The maximum number of unwritten acknowledgements. Default: 1,000.
    ///   - concurrentStreams: The maximum number of open streams. Default: 1,000.
    ///   - streamWindowBytes: The maximum receive window of a stream. Default: 16 MiB.
    ///   - connectionWindowBytes: The receive window of the connection. Default: 64 MiB.
    package init(
        headerListBytes: Int = 64 * 1024,
        fieldCount: Int = 200,
        informationalResponses: Int = 16,
        trailerBytes: Int = 16 * 1024,
        headerBlockBytes: Int = 128 * 1024,
        continuationFrames: Int = 64,
        settingsFrames: Int = 100,
        pingFrames: Int = 1_000,
        emptyFrames: Int = 1_000,
        resets: Int = 1_000,
        windowUpdates: Int = 10_000,
        pendingAcknowledgements: Int = 1_000,
        concurrentStreams: Int = 1_000,
        streamWindowBytes: Int = 16 * 1024 * 1024,
        connectionWindowBytes: Int = 64 * 1024 * 1024
    ) {
        self.headerListBytes = headerListBytes
        self.fieldCount = fieldCount
        self.informationalResponses = informationalResponses
        self.trailerBytes = trailerBytes
        self.headerBlockBytes = headerBlockBytes
        self.continuationFrames = continuationFrames
        self.settingsFrames = settingsFrames
        self.pingFrames = pingFrames
        self.emptyFrames = emptyFrames
        self.resets = resets
        self.windowUpdates = windowUpdates
        self.pendingAcknowledgements = pendingAcknowledgements
        self.concurrentStreams = concurrentStreams
        self.streamWindowBytes = streamWindowBytes
        self.connectionWindowBytes = connectionWindowBytes
    }
}
