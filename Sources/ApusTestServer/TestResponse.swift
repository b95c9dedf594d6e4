/// A response of the server.
///
/// The server writes the status line and the given fields. It adds `Content-Length`, `Transfer-Encoding: chunked` and
/// `Connection: close` if they are needed and missing.
public struct TestResponse: Sendable {
    /// A body, either complete or generated while the client reads.
    public struct Body: Sendable {
        enum Storage: Sendable {
            case bytes([UInt8])
            case chunks([[UInt8]])
            case pattern(offset: Int, count: Int)
            case generated(length: Int?, @Sendable (Int) -> [UInt8]?)
        }

        let storage: Storage
        let interval: Duration

        /// No bytes.
        public static let empty = Body.bytes([])

        /// A body that is sent in one buffer with the head.
        public static func bytes(_ bytes: [UInt8]) -> Body {
            Body(storage: .bytes(bytes), interval: .zero)
        }

        /// A text in UTF-8.
        public static func text(_ text: String) -> Body {
            .bytes(Array(text.utf8))
        }

        /// A chunked body. Each chunk is a separate write.
        ///
        /// - Parameters:
        ///   - chunks: The chunks, none of them empty.
        ///   - interval: The time between two chunks. Default: zero.
        /// - Returns: The body.
        public static func chunks(_ chunks: [[UInt8]], interval: Duration = .zero) -> Body {
            Body(storage: .chunks(chunks), interval: interval)
        }

        /// The bytes of ``TestServer/pattern(offset:count:)``, sent with back-pressure. May be many GiB.
        public static func pattern(offset: Int = 0, count: Int) -> Body {
            Body(storage: .pattern(offset: offset, count: count), interval: .zero)
        }

        /// A body that is generated while it is sent, with back-pressure.
        ///
        /// - Parameters:
        ///   - length: The length in bytes for `Content-Length`, or nil for a chunked body. Default: nil.
        ///   - interval: The time between two chunks. Default: zero.
        ///   - chunk: Returns a chunk for its number, from 0, or nil at the end. Called on the server's event loop.
        /// - Returns: The body.
        public static func generated(
            length: Int? = nil,
            interval: Duration = .zero,
            chunk: @escaping @Sendable (Int) -> [UInt8]?
        ) -> Body {
            Body(storage: .generated(length: length, chunk), interval: interval)
        }

        /// The length in bytes, or nil if the body is chunked.
        var length: Int? {
            switch storage {
            case .bytes(let bytes): bytes.count
            case .chunks: nil
            case .pattern(_, let count): count
            case .generated(let length, _): length
            }
        }
    }

    /// The status code.
    public var status: Int
    /// The reason phrase, or nil for the registered one.
    public var reason: String?
    /// The fields, written unchanged in ISO-8859-1.
    public var fields: [(String, String)]
    /// The body.
    public var body: Body
    /// The trailer fields. With trailers, the body is chunked.
    public var trailers: [(String, String)] = []
    /// The interim responses sent before this one.
    public var informational: [(status: Int, fields: [(String, String)])] = []
    /// The delay before anything is written.
    public var delay = Duration.zero
    /// Whether the connection is closed after the response, with `Connection: close`.
    public var closes = false
    /// The number of body bytes after which the connection is cut, or nil to send the whole body.
    public var abortsAfterBodyBytes: Int?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code. Default: 200.
    ///   - reason: The reason phrase, or nil for the registered one. Default: nil.
    ///   - fields: The fields. Default: none.
    ///   - body: The body. Default: empty.
    public init(
        status: Int = 200,
        reason: String? = nil,
        fields: [(String, String)] = [],
        body: Body = .empty
    ) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = body
    }

    /// Creates a response with plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> TestResponse {
        TestResponse(status: status, fields: [("Content-Type", "text/plain; charset=utf-8")], body: .text(text))
    }

    /// Creates a response with JSON text.
    public static func json(_ text: String, status: Int = 200) -> TestResponse {
        TestResponse(status: status, fields: [("Content-Type", "application/json")], body: .text(text))
    }
}
