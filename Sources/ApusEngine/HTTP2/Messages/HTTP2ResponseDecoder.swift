package import HTTPTypes

/// Reads the response of one stream from its header lists and the lengths of its DATA frames, and checks its form.
///
/// After an error every further call throws the same error.
///
///     begin → take… → end ─┬→ takeBody… ─┬→ (the end of the stream)
///           ↑              │             └→ begin → take… → end (trailers)
///           └─ informational
///
/// https://www.rfc-editor.org/rfc/rfc9113.html#section-8.1
package struct HTTP2ResponseDecoder {
    /// The message section that a header list contains.
    package enum Event: Sendable {
        /// A 1xx response. Another head follows.
        case informational(ReceivedHead)
        /// The final head.
        case head(ReceivedHead)
        /// The end of the message, with the trailers that are not dropped.
        case trailers(HTTPFields?)
    }

    /// The content that is still to come.
    enum Content: Equatable {
        /// None may follow: the response to HEAD, a 204 or a 304.
        case nothing
        /// Content-Length declares it.
        case length(missing: Int)
        /// It ends with the stream.
        case unlimited
    }

    enum Phase: Equatable {
        case head
        case content(Content)
        case ended
    }

    /// The header list that is being read.
    struct Section {
        var status: Int?
        var fields = HTTPFields()
        var framing = HTTP1FramingFields()
        /// The size of the lines, 32 bytes of overhead each included.
        var byteCount = 0
        /// The number of lines that are no pseudo fields.
        var fieldCount = 0
        var isPlain = true
    }

    let limits: HTTP2Limits
    var phase = Phase.head
    var section = Section()
    private let request: HTTP1FramingFields.Request
    private var informationalResponses = 0
    private var failure: HTTP2StreamError?

    /// Creates a decoder for the response to a request.
    ///
    /// - Parameters:
    ///   - method: The method of the request. It decides whether the response has content.
    ///   - limits: The limits. `fieldCount` is capped at 60 000.
    package init(method: HTTPRequest.Method, limits: HTTP2Limits) {
        var limits = limits
        // HTTPFields traps at 65 535 fields.
        limits.fieldCount = min(limits.fieldCount, 60_000)
        self.limits = limits
        request = HTTP1FramingFields.Request(
            isHead: method == .head,
            isConnect: method == .connect,
            requestsUpgrade: false
        )
    }

    /// Starts a header list.
    package mutating func begin() {
        section = Section()
    }

    /// Takes one line of a header list. Its error, if it has one, is thrown by `end(endStream:)`.
    ///
    /// - Returns: Whether to go on: `false` after an error.
    package mutating func take(_ line: HPACKHeader) -> Bool {
        guard failure == nil else { return false }
        do throws(HTTP2StreamError) {
            try read(line)
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Ends a header list.
    ///
    /// - Parameter endStream: Whether the frame ends the stream.
    /// - Returns: The section that was read.
    /// - Throws: The first error of the list, or of the message if that is complete.
    package mutating func end(endStream: Bool) throws(HTTP2StreamError) -> Event {
        if let failure { throw failure }
        let section = self.section
        // The list is handed over, so that the receiver can change it without a copy.
        self.section = Section()
        do throws(HTTP2StreamError) {
            return try finish(section, endStream: endStream)
        } catch {
            failure = error
            throw error
        }
    }

    /// Takes the length of a part of the content, without the padding of its frame.
    ///
    /// - Parameters:
    ///   - count: The number of bytes, which may be zero.
    ///   - endStream: Whether the part ends the stream.
    /// - Throws: `HTTP2StreamError` if there is more or, at the end, less content than there may be.
    package mutating func takeBody(_ count: Int, endStream: Bool) throws(HTTP2StreamError) {
        if let failure { throw failure }
        do throws(HTTP2StreamError) {
            try advance(by: count, endStream: endStream)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func finish(_ section: Section, endStream: Bool) throws(HTTP2StreamError) -> Event {
        switch phase {
        case .head: return try finishHead(section, endStream: endStream)
        case .content(let content):
            guard endStream else { throw .malformed("The trailers of the response do not end the stream.") }
            try Self.checkEnd(content)
            phase = .ended
            return .trailers(section.fields.isEmpty ? nil : section.fields)
        case .ended:
            throw Self.afterEnd
        }
    }

    private mutating func finishHead(_ section: Section, endStream: Bool) throws(HTTP2StreamError) -> Event {
        guard let code = section.status else { throw .malformed("The response has no :status.") }
        let head = ReceivedHead(
            status: HTTPResponse.Status(code: code),
            fields: section.fields,
            isPlain: section.isPlain
        )
        if code < 200 {
            // RFC 9113 §8.6.
            guard code != 101 else { throw .malformed("The response is a 101, which HTTP/2 does not have.") }
            guard !endStream else { throw .malformed("An informational response ended the stream.") }
            informationalResponses += 1
            guard informationalResponses <= limits.informationalResponses else {
                throw .exceeded(.tooManyInformational(limit: limits.informationalResponses))
            }
            return .informational(head)
        }
        let content = try announcedContent(section.framing, status: code)
        if endStream { try Self.checkEnd(content) }
        phase = endStream ? .ended : .content(content)
        return .head(head)
    }

    /// Returns the content of a final response by the rules of HTTP/1.1, except that it ends with the stream.
    private func announcedContent(
        _ framing: HTTP1FramingFields,
        status: Int
    ) throws(HTTP2StreamError) -> Content {
        let decision: HTTP1ResponseParser.Framing
        do throws(HTTP1ParseError) {
            decision = try framing.decide(status: status, minorVersion: 1, request: request, isStrict: false).framing
        } catch {
            throw HTTP2StreamError.malformed(error.description)
        }
        switch decision {
        case .none: return .nothing
        case .length(let count): return .length(missing: count)
        case .chunked, .untilClose, .upgraded: return .unlimited
        }
    }

    private mutating func advance(by count: Int, endStream: Bool) throws(HTTP2StreamError) {
        guard case .content(var content) = phase else {
            if phase == .ended { throw Self.afterEnd }
            throw .malformed("The content of the response precedes its head.")
        }
        switch content {
        case .nothing:
            guard count == 0 else { throw .malformed("The response has content, although none may follow its head.") }
        case .length(let missing):
            guard count <= missing else { throw .malformed("The response is longer than its Content-Length.") }
            content = .length(missing: missing - count)
        case .unlimited: break
        }
        if endStream { try Self.checkEnd(content) }
        phase = endStream ? .ended : .content(content)
    }

    /// Checks that no content is missing at the end of the stream.
    private static func checkEnd(_ content: Content) throws(HTTP2StreamError) {
        guard case .length(let missing) = content, missing > 0 else { return }
        throw .malformed("The server ended the response with \(missing) bytes of its content missing.")
    }

    private static var afterEnd: HTTP2StreamError {
        HTTP2StreamError(code: .streamClosed, reason: "The server sent a frame after the end of the response.")
    }
}
