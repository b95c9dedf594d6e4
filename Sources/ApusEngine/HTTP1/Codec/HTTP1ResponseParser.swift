package import HTTPTypes
package import NIOCore

/// Parses the responses of one HTTP/1.1 connection into events, directly from the received bytes.
///
/// It stores no bytes of the current response. Bytes that it does not need yet stay in the caller's buffer, and it
/// remembers its position in them, so that bytes that arrive slowly are scanned once. The result does not depend on how
/// the bytes were split. After an error every further call throws the same error.
///
///     begin → status line → fields ─┬→ body (length | chunks → trailers | until close) → end
///                 ↑                 ├→ end (no body, upgraded)
///                 └─ informational ─┘
///
/// https://www.rfc-editor.org/rfc/rfc9112.html
package struct HTTP1ResponseParser {
    /// The way in which the end of a message is found (RFC 9112 §6.3).
    package enum Framing: Sendable, Equatable {
        /// No body can follow.
        case none
        /// Content-Length declares the number of bytes that follow.
        case length(Int)
        /// The body is chunked.
        case chunked
        /// The body ends when the connection is closed.
        case untilClose
        /// HTTP ends after this 101 or 2xx response to CONNECT. Further bytes belong to the next protocol.
        case upgraded
    }

    /// A response head.
    package struct Head: Sendable {
        /// The status code and the reason phrase as received, which may be empty.
        package var status: HTTPResponse.Status
        /// The fields in the order received, with their names as spelled on the wire.
        package var fields: HTTPFields
        /// 0 or 1. A later minor version of HTTP/1 counts as 1.
        package var minorVersion: UInt8
        package var framing: Framing
        /// Whether the peer allows another request on this connection after this response (RFC 9112 §9.3).
        package var keepAlive: Bool
        /// Whether no field requires further processing: the response has no content coding and sets no cookie.
        package var isPlain: Bool
    }

    package enum Event: Sendable {
        /// A 1xx response other than 101. Another head follows.
        case informational(Head)
        /// The final head.
        case head(Head)
        /// A part of the body, never empty. It shares the caller's storage.
        case body(ByteBuffer)
        /// The end of the message, with the trailers if any were received.
        case end(trailers: HTTPFields?)
    }

    enum Phase {
        case idle
        case statusLine
        case fields
        case body(remaining: Int)
        case untilClose
        case chunkSize
        case chunkData(remaining: Int)
        case chunkEnd
        case trailers
        case end(HTTPFields?)
        case failed(HTTP1ParseError)
    }

    let limits: HTTP1Limits
    var phase: Phase = .idle
    /// The number of bytes at the buffer's reader index that are known to contain no line end.
    var scanned = 0
    /// The number of bytes of the head or trailer section that were taken off the buffer.
    var sectionBytes = 0
    /// The number of lines of the head or trailer section that were taken off the buffer.
    var sectionLines = 0
    var status: HTTPResponse.Status = .ok
    var minorVersion: UInt8 = 1
    var fields = HTTPFields()
    var framing = HTTP1FramingFields()
    var section = HTTP1FieldSection()
    /// Whether the current field line continues in a further line.
    var isFolded = false
    private var request = HTTP1FramingFields.Request()
    private var informationalResponses = 0

    /// Whether a byte of the current response has been seen.
    package private(set) var hasStartedResponse = false

    /// Creates a parser that waits for `begin(method:)`.
    package init(limits: HTTP1Limits) {
        var limits = limits
        // HTTPFields traps at 65 535 fields.
        limits.fieldCount = min(limits.fieldCount, 60_000)
        self.limits = limits
    }

    /// Whether no response is in progress: none was begun, or the end of the last one was returned.
    package var isBetweenMessages: Bool {
        if case .idle = phase { true } else { false }
    }

    /// Whether the current body ends only when the connection is closed.
    package var isReadingUntilClose: Bool {
        if case .untilClose = phase { true } else { false }
    }

    /// The number of bytes that the current body still lacks, if its head declared a length.
    package var missingBodyBytes: Int? {
        if case .body(let remaining) = phase { remaining } else { nil }
    }

    /// Prepares for the response to a request. The method decides whether a body may follow the head.
    ///
    /// The parser must be between messages.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - requestsUpgrade: Whether the request has an Upgrade field. If not, a 101 is rejected. Default: `false`.
    package mutating func begin(method: HTTPRequest.Method, requestsUpgrade: Bool = false) {
        precondition(isBetweenMessages, "a response is still in progress")
        phase = .statusLine
        request = HTTP1FramingFields.Request(
            isHead: method == .head,
            isConnect: method == .connect,
            requestsUpgrade: requestsUpgrade
        )
        informationalResponses = 0
        hasStartedResponse = false
        beginSection()
    }

    /// Takes the bytes of one event off `buffer`. Returns `nil` if more bytes are needed or no response is in progress.
    ///
    /// Complete lines of a head may be taken off even if the result is `nil`. The caller then appends to `buffer` and
    /// passes it again. After `.end` nothing more is taken until `begin(method:)`.
    package mutating func next(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Event? {
        do {
            return try advance(&buffer)
        } catch {
            phase = .failed(error)
            throw error
        }
    }

    /// Handles the peer's end of stream, once `next(_:)` has returned all events.
    ///
    /// - Returns: `.end`, if a read-until-close body was in progress or the message was complete.
    /// - Throws: `HTTP1ParseError.cutOff`, or the earlier error.
    package mutating func finish() throws(HTTP1ParseError) -> Event {
        let part: HTTP1ParseError.Part
        switch phase {
        case .idle, .untilClose:
            phase = .idle
            return .end(trailers: nil)
        case .end(let trailers):
            phase = .idle
            return .end(trailers: trailers)
        case .statusLine: part = hasStartedResponse ? .head : .beforeResponse
        case .fields: part = .head
        case .body(let remaining): part = .body(missingBytes: remaining)
        case .chunkSize, .chunkData, .chunkEnd: part = .chunkedBody
        case .trailers: part = .trailers
        case .failed(let error): throw error
        }
        phase = .failed(.cutOff(in: part))
        throw .cutOff(in: part)
    }

    private mutating func advance(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Event? {
        switch phase {
        case .statusLine, .fields:
            guard buffer.readableBytes > 0 else { return nil }
            hasStartedResponse = true
            return try takeHead(&buffer) ? try headEvent() : nil
        case .body(let remaining):
            guard let slice = takeBody(&buffer, atMost: remaining) else { return nil }
            let left = remaining - slice.readableBytes
            phase = left == 0 ? .end(nil) : .body(remaining: left)
            return .body(slice)
        case .untilClose:
            return takeBody(&buffer, atMost: .max).map { .body($0) }
        case .chunkSize, .chunkData, .chunkEnd, .trailers:
            return try takeChunked(&buffer)
        case .end(let trailers):
            phase = .idle
            return .end(trailers: trailers)
        case .idle: return nil
        case .failed(let error): throw error
        }
    }

    /// Returns the event of a complete head, and moves on to the next phase.
    private mutating func headEvent() throws(HTTP1ParseError) -> Event {
        let decision = try framing.decide(
            status: status.code,
            minorVersion: minorVersion,
            request: request,
            isStrict: limits.isStrict
        )
        let head = Head(
            status: status,
            fields: fields,
            minorVersion: minorVersion,
            framing: decision.framing,
            keepAlive: decision.keepAlive,
            isPlain: section.isPlain
        )
        beginSection()
        if 100..<200 ~= head.status.code, head.status.code != 101 {
            informationalResponses += 1
            guard informationalResponses <= limits.informationalResponses else {
                throw .tooManyInformational(limit: limits.informationalResponses)
            }
            phase = .statusLine
            framing = HTTP1FramingFields(hasClose: !head.keepAlive)
            return .informational(head)
        }
        phase =
            switch decision.framing {
            case .none, .upgraded, .length(0): .end(nil)
            case .length(let count): .body(remaining: count)
            case .chunked: .chunkSize
            case .untilClose: .untilClose
            }
        return .head(head)
    }

    mutating func beginSection() {
        scanned = 0
        sectionBytes = 0
        sectionLines = 0
        fields = HTTPFields()
        framing = HTTP1FramingFields()
    }

    /// Takes the readable part of a body as one slice, without a copy. Returns `nil` if nothing is readable.
    func takeBody(_ buffer: inout ByteBuffer, atMost limit: Int) -> ByteBuffer? {
        let count = min(limit, buffer.readableBytes)
        return count > 0 ? buffer.readSlice(length: count) : nil
    }
}
