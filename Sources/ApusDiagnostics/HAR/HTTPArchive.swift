internal import ApusCore
public import Foundation

/// A record of HTTP exchanges in the format HAR 1.2, which browsers write and many tools read.
///
/// A `HARRecorder` creates one. An archive of any program can be read from a file:
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: file)
/// print(archive.entries.count, Waterfall(archive).text())
/// ```
///
/// An archive is created by recording or reading. Its parts can be read and changed.
///
/// Reading is lenient, because programs differ. Missing members that may be missing have a default. Unknown members and
/// `cache` are ignored, and `cache` is always written empty. A length or a time of -1 becomes `nil`.
///
/// See http://www.softwareishard.com/blog/har-12-spec/
public struct HTTPArchive: Sendable, Hashable {
    /// A program and its version.
    public struct Agent: Sendable, Hashable {
        /// The program's name.
        public var name: String
        /// Its version.
        public var version: String
        /// A comment by the author.
        public var comment: String?
    }

    /// A page that a browser loaded.
    public struct Page: Sendable, Hashable {
        /// When the load began.
        public var startedDateTime: Date
        /// The identifier that entries refer to.
        public var id: String
        /// Its title.
        public var title: String
        /// The time until its content was loaded.
        public var onContentLoad: Duration?
        /// The time until the page was loaded.
        public var onLoad: Duration?
        /// A comment by the author.
        public var comment: String?
    }

    /// The version of the format. Default: `1.2`.
    public var version = "1.2"
    /// The program that wrote the archive.
    public var creator: Agent
    /// The browser that the archive was written in.
    public var browser: Agent?
    /// The loaded pages. Default: none.
    public var pages: [Page] = []
    /// The exchanges.
    public var entries: [Entry]
    /// A comment by the author.
    public var comment: String?
}

extension HTTPArchive {
    /// One exchange.
    public struct Entry: Sendable, Hashable {
        /// The page that the exchange belongs to.
        public var pageref: String?
        /// When the exchange began.
        public var startedDateTime: Date
        /// The duration of the exchange, the sum of its timings.
        public var time: Duration
        /// The request.
        public var request: Request
        /// The response.
        public var response: Response
        /// The duration of each phase.
        public var timings: Timings
        /// The address of the server.
        public var serverIPAddress: String?
        /// Identifies the connection.
        public var connection: String?
        /// A comment by the author.
        public var comment: String?
        /// The reason for the exchange (a raw value of `ExchangeCause`), if a `HARRecorder` wrote it: `_cause`.
        public var cause: String?
        /// The number of the request that the exchange belongs to, if a `HARRecorder` wrote it: `_request`.
        public var requestNumber: Int64?
        /// The number of the HTTP/2 stream on the connection, if a `HARRecorder` wrote it: `_stream`.
        public var streamNumber: Int64?
    }

    /// The duration of each phase of an exchange, `nil` for phases that did not take place.
    public struct Timings: Sendable, Hashable {
        /// The time waiting for a connection.
        public var blocked: Duration?
        /// The time of the DNS lookup.
        public var dns: Duration?
        /// The time of connecting, including the TLS handshake.
        public var connect: Duration?
        /// The time of the TLS handshake.
        public var ssl: Duration?
        /// The time of sending the request.
        public var send: Duration
        /// The time from the last byte of the request to the first byte of the response.
        public var wait: Duration
        /// The time of reading the response.
        public var receive: Duration
        /// A comment by the author.
        public var comment: String?

        /// The duration of all phases. `ssl` is not added, since `connect` includes it.
        public var total: Duration {
            (blocked ?? .zero) + (dns ?? .zero) + (connect ?? .zero) + send + wait + receive
        }
    }
}
