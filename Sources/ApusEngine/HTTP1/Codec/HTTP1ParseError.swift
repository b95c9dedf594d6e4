/// A violation of the protocol in the bytes of an HTTP/1.1 response.
///
/// After any of these the connection can't be reused, because the start of the next response is unknown.
package enum HTTP1ParseError: Error, Sendable, Equatable {
    /// The part of a response in which the peer stopped sending.
    package enum Part: Sendable, Equatable {
        /// No byte of the response had arrived.
        case beforeResponse
        /// Inside the status line or the fields of a head, informational or final.
        case head
        /// Inside a body with a Content-Length, with this many bytes missing.
        case body(missingBytes: Int)
        /// Inside a chunked body, before the line of the last chunk.
        case chunkedBody
        /// After the last chunk, before the empty line that ends the message.
        case trailers
    }

    case statusLineInvalid
    case statusLineTooLong(limit: Int)
    case versionUnsupported
    case fieldNameInvalid
    case fieldValueInvalid(name: String)
    case obsoleteFold
    case whiteSpaceAheadOfFields
    case bareLineFeed
    case bareCarriageReturn
    case headTooLarge(limit: Int)
    case fieldTooLarge(limit: Int)
    case tooManyFields(limit: Int)
    case tooManyInformational(limit: Int)
    case contentLengthInvalid
    case contentLengthConflict
    case lengthWithTransferEncoding
    case framingFieldFolded
    /// The codings as received, truncated to 64 bytes.
    case transferCodingUnsupported(String)
    case transferEncodingInHTTP10
    case chunkSizeInvalid
    case chunkSizeLineTooLong(limit: Int)
    case chunkDataUnterminated
    case trailersTooLarge(limit: Int)
    case unrequestedUpgrade
    case cutOff(in: Part)
}

extension HTTP1ParseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .statusLineInvalid:
            "The response does not start with an HTTP/1.1 status line: is this an HTTP server, and is the scheme right?"
        case .statusLineTooLong(let limit):
            "The status line is longer than the limit of \(limit) bytes."
        case .versionUnsupported:
            "The status line has an HTTP version other than 1.0 and 1.1."
        case .fieldNameInvalid:
            "A field line of the response has no valid name before a colon."
        case .fieldValueInvalid(let name):
            "The value of the response field \(name) contains a control character."
        case .obsoleteFold:
            "A response field is folded over several lines, which limits.parsing = .strict rejects."
        case .whiteSpaceAheadOfFields:
            "There is a line of white space before the first response field (RFC 9112 §2.2)."
        case .bareLineFeed:
            "A line of the response ends with LF instead of CRLF."
        case .bareCarriageReturn:
            "A line of the response contains a CR without an LF."
        case .headTooLarge(let limit):
            "The response head is larger than the limit of \(limit) bytes."
        case .fieldTooLarge(let limit):
            "A field line of the response is larger than the limit of \(limit) bytes."
        case .tooManyFields(let limit):
            "The response has more than the limit of \(limit) fields."
        case .tooManyInformational(let limit):
            "More than the limit of \(limit) informational (1xx) responses preceded the final one."
        case .contentLengthInvalid:
            "The response's Content-Length is not a number of bytes."
        case .contentLengthConflict:
            "The response has several Content-Length values that differ."
        case .lengthWithTransferEncoding:
            "The response has both Content-Length and Transfer-Encoding, so its end is ambiguous."
        case .framingFieldFolded:
            "A framing field of the response is folded over several lines, so the end of the response is ambiguous."
        case .transferCodingUnsupported(let codings):
            "The response's Transfer-Encoding is \"\(codings)\"; only \"chunked\" is supported."
        case .transferEncodingInHTTP10:
            "The response is HTTP/1.0 and has a Transfer-Encoding, which HTTP/1.0 does not support."
        case .chunkSizeInvalid:
            "A chunk of the response body does not start with a valid size."
        case .chunkSizeLineTooLong(let limit):
            "A chunk-size line of the response body is longer than the limit of \(limit) bytes."
        case .chunkDataUnterminated:
            "A chunk of the response body is longer than its declared size."
        case .trailersTooLarge(let limit):
            "The trailer section of the response is larger than the limit of \(limit) bytes."
        case .unrequestedUpgrade:
            "The response switches to another protocol (101), but the request has no Upgrade field."
        case .cutOff(let part):
            part.description
        }
    }
}

extension HTTP1ParseError.Part: CustomStringConvertible {
    package var description: String {
        switch self {
        case .beforeResponse: "The server closed the connection without a response."
        case .head: "The server closed the connection inside the response head."
        case .body(let missing): "The server closed the connection with \(missing) bytes of the body missing."
        case .chunkedBody: "The server closed the connection before the last chunk of the body."
        case .trailers: "The server closed the connection inside the trailer section."
        }
    }
}
