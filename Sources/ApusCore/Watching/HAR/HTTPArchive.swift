public import Foundation

/// A record of HTTP exchanges in the format HAR 1.2, which browsers write and many tools read.
///
/// A `HARRecorder` makes one; any program's is read from a file:
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: file)
/// print(archive.entries.count, Waterfall(archive).text())
/// ```
///
/// One is recorded or read; what is in it can be taken out and changed.
///
/// Reading is lenient, since programs differ in what they write: what may be missing has a default, and members that
/// are not known here are passed over, and so is `cache`, which is always written empty. A length or a time that the
/// format gives as -1 is `nil`.
///
/// See http://www.softwareishard.com/blog/har-12-spec/
public struct HTTPArchive: Sendable, Hashable {
    /// A program and its version.
    public struct Agent: Sendable, Hashable {
        /// The program's name.
        public var name: String
        /// Its version.
        public var version: String
        /// What its author has to say.
        public var comment: String?
    }

    /// A page that a browser loaded.
    public struct Page: Sendable, Hashable {
        /// When the load began.
        public var startedDateTime: Date
        /// By what entries refer to it.
        public var id: String
        /// Its title.
        public var title: String
        /// How long it took until its content was loaded.
        public var onContentLoad: Duration?
        /// How long it took until it was loaded.
        public var onLoad: Duration?
        /// What its author has to say.
        public var comment: String?
    }

    /// The version of the format.
    public var version = "1.2"
    /// What wrote the archive.
    public var creator: Agent
    /// The browser that it was written in.
    public var browser: Agent?
    /// The pages that were loaded; none where no browser wrote it.
    public var pages: [Page] = []
    /// The exchanges.
    public var entries: [Entry]
    /// What its author has to say.
    public var comment: String?
}

extension HTTPArchive {
    /// One exchange.
    public struct Entry: Sendable, Hashable {
        /// The page that it belongs to.
        public var pageref: String?
        /// When it began.
        public var startedDateTime: Date
        /// How long it took: the sum of its timings.
        public var time: Duration
        /// What was sent.
        public var request: Request
        /// What came back.
        public var response: Response
        /// How long each phase took.
        public var timings: Timings
        /// The address of the server.
        public var serverIPAddress: String?
        /// Tells connections apart.
        public var connection: String?
        /// What its author has to say.
        public var comment: String?
        /// Why it took place (a raw value of `HopCause`), where a `HARRecorder` wrote it down: `_cause`.
        public var cause: String?
        /// The number of the request that it belongs to, where a `HARRecorder` wrote it down: `_request`.
        public var requestNumber: Int64?
    }

    /// How long each phase of an exchange took; `nil` where there was none.
    public struct Timings: Sendable, Hashable {
        /// Waiting for a connection.
        public var blocked: Duration?
        /// Resolving the host's name.
        public var dns: Duration?
        /// Connecting, the TLS handshake included.
        public var connect: Duration?
        /// The TLS handshake.
        public var ssl: Duration?
        /// Sending the request.
        public var send: Duration
        /// From the last byte of the request to the first of the response.
        public var wait: Duration
        /// Reading the response.
        public var receive: Duration
        /// What its author has to say.
        public var comment: String?

        /// How long all of them took.
        public var total: Duration {
            (blocked ?? .zero) + (dns ?? .zero) + (connect ?? .zero) + send + wait + receive
        }
    }
}
