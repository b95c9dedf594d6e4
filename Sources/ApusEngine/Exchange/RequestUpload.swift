internal import ApusCore
internal import HTTPTypes
internal import NIOCore

/// The way in which a request's body is sent.
struct RequestUpload {
    enum Content {
        case nothing
        /// Sent with the head, in one write.
        case short(ByteBuffer)
        /// Sent in slices as the peer takes them.
        case long(ByteBuffer)
        /// Has to be read from a file or stream first.
        case pumped
    }

    /// Bodies up to this size are copied after the head.
    static let shortBytes = 16 << 10
    /// Longer bodies are written in slices of this size.
    static let sliceBytes = 64 << 10

    let framing: RequestFraming
    private(set) var content: Content
    let expectsContinue: Bool

    /// - Parameters:
    ///   - request: The request.
    ///   - isHTTP2: Whether it is sent over HTTP/2.
    init(_ request: RequestMessage, isHTTP2: Bool) {
        switch request.body.storage {
        case .none:
            content = .nothing
            framing = request.method.definesContent ? .length(0) : .none
        case .bytes(let chunk):
            framing = .length(chunk.count)
            content =
                chunk.isEmpty ? .nothing : chunk.count <= Self.shortBytes ? .short(chunk.buffer) : .long(chunk.buffer)
        case .file, .once, .replayable:
            framing = request.body.length.map { .length(Int(clamping: $0)) } ?? .chunked
            content = .pumped
        case .trailed(let body, _):
            // In HTTP/1.1 only a chunked body has trailers. In HTTP/2 a request whose length is 0 ends with its head.
            let length: Int64? = isHTTP2 ? body.length.flatMap { $0 > 0 ? $0 : nil } : nil
            framing = length.map { .length(Int(clamping: $0)) } ?? .chunked
            content = .pumped
        }
        if case .nothing = content {
            expectsContinue = false
        } else {
            expectsContinue = request.fields.expectsContinue
        }
    }

    /// Whether the body is longer than one write, or has to be read first.
    var isSentInPieces: Bool {
        switch content {
        case .nothing, .short: false
        case .long, .pumped: true
        }
    }

    /// Whether a body may wait while its request is suspended. A short one is sent with the head.
    static func mayWait(_ body: RequestBody, _ fields: HTTPFields) -> Bool {
        switch body.storage {
        case .none: false
        case .bytes(let chunk): chunk.count > shortBytes || !chunk.isEmpty && fields.expectsContinue
        case .file, .once, .replayable, .trailed: true
        }
    }

    /// Whether slices remain to be written.
    var hasRest: Bool {
        switch content {
        case .short(let rest), .long(let rest): rest.readableBytes > 0
        case .nothing, .pumped: false
        }
    }

    /// Removes and returns the remaining bytes, so that slicing them copies nothing.
    mutating func takeRest() -> ByteBuffer? {
        switch content {
        case .short(let rest), .long(let rest):
            content = .nothing
            return rest
        case .nothing, .pumped:
            return nil
        }
    }

    mutating func putBack(_ rest: ByteBuffer) {
        content = .long(rest)
    }
}

extension HTTPRequest.Method {
    /// Whether a request without a body sends `Content-Length: 0` (RFC 9112 §6.3). Other methods omit the field.
    var definesContent: Bool { self == .post || self == .put || self == .patch }
}

extension HTTPFields {
    var expectsContinue: Bool {
        has(.expect) && self[.expect]?.lowercased() == "100-continue"
    }

    /// Whether the options of `Connection`, a list (RFC 9110 §5.6.1), have the member `close`.
    var requestsClose: Bool {
        guard has(.connection), let options = self[.connection] else { return false }
        return options.split(separator: ",").contains { $0.trimmed.lowercased() == "close" }
    }
}
