/// What the server answers to one request.
///
/// The server writes the status line, the fields as they stand here, and whichever of `Content-Length`,
/// `Transfer-Encoding: chunked` and `Connection: close` is needed and missing.
public struct TestResponse: Sendable {
    /// A body, whole or made piece by piece while the client reads.
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

        /// A body that goes out in one buffer with the head.
        public static func bytes(_ bytes: [UInt8]) -> Body {
            Body(storage: .bytes(bytes), interval: .zero)
        }

        /// A text in UTF-8.
        public static func text(_ text: String) -> Body {
            .bytes(Array(text.utf8))
        }

        /// A chunked body, each chunk a write of its own.
        ///
        /// - Parameters:
        ///   - chunks: The chunks, none of them empty.
        ///   - interval: The time between two chunks, zero by default.
        /// - Returns: the body.
        public static func chunks(_ chunks: [[UInt8]], interval: Duration = .zero) -> Body {
            Body(storage: .chunks(chunks), interval: interval)
        }

        /// The bytes of ``TestServer/pattern(offset:count:)``, sent under back-pressure; may be many GiB.
        public static func pattern(offset: Int = 0, count: Int) -> Body {
            Body(storage: .pattern(offset: offset, count: count), interval: .zero)
        }

        /// A body that is made while it is sent, under back-pressure.
        ///
        /// - Parameters:
        ///   - length: The length in bytes for `Content-Length`; nil sends chunked.
        ///   - interval: The time between two chunks, zero by default.
        ///   - chunk: Makes the chunk of a number, from 0; nil ends the body. Called on the server's event loop.
        /// - Returns: the body.
        public static func generated(
            length: Int? = nil,
            interval: Duration = .zero,
            chunk: @escaping @Sendable (Int) -> [UInt8]?
        ) -> Body {
            Body(storage: .generated(length: length, chunk), interval: interval)
        }

        /// The length in bytes; nil when the body is sent chunked.
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
    /// The reason phrase; nil takes the registered one.
    public var reason: String?
    /// The fields, written as they stand in ISO-8859-1.
    public var fields: [(String, String)]
    /// The body.
    public var body: Body
    /// The fields behind the body; they make it chunked.
    public var trailers: [(String, String)] = []
    /// Interim responses that go out before this one.
    public var informational: [(status: Int, fields: [(String, String)])] = []
    /// The time to wait before anything is written.
    public var delay = Duration.zero
    /// Whether the connection is closed behind the response, and says so.
    public var closes = false
    /// Cuts the connection after so many bytes of the body; nil sends it whole.
    public var abortsAfterBodyBytes: Int?

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status code, 200 by default.
    ///   - reason: The reason phrase; nil, the default, takes the registered one.
    ///   - fields: The fields, none by default.
    ///   - body: The body, empty by default.
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

    /// A plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> TestResponse {
        TestResponse(status: status, fields: [("Content-Type", "text/plain; charset=utf-8")], body: .text(text))
    }

    /// A JSON text.
    public static func json(_ text: String, status: Int = 200) -> TestResponse {
        TestResponse(status: status, fields: [("Content-Type", "application/json")], body: .text(text))
    }
}
