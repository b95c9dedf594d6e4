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
    case upgradeNotAsked
    case cutOff(in: Part)
}

extension HTTP1ParseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .statusLineInvalid:
            "The answer does not start with an HTTP/1.1 status line: is this an HTTP server, and is the scheme right?"
        case .statusLineTooLong(let limit):
            "The status line is longer than the limit of \(limit) bytes."
        case .versionUnsupported:
            "The answer's status line names a version of HTTP other than 1.0 and 1.1."
        case .fieldNameInvalid:
            "A field line of the answer has no valid name ahead of a colon."
        case .fieldValueInvalid(let name):
            "The value of the answer's field \(name) holds a control character."
        case .obsoleteFold:
            "A field of the answer is folded over several lines, which limits.parsing = .strict refuses."
        case .whiteSpaceAheadOfFields:
            "A line of white space stands ahead of the answer's first field (RFC 9112 §2.2)."
        case .bareLineFeed:
            "A line of the answer ends with LF alone where CRLF is required."
        case .bareCarriageReturn:
            "A line of the answer holds a CR that no LF follows."
        case .headTooLarge(let limit):
            "The answer's head is larger than the limit of \(limit) bytes."
        case .fieldTooLarge(let limit):
            "A field line of the answer is larger than the limit of \(limit) bytes."
        case .tooManyFields(let limit):
            "The answer has more than the limit of \(limit) fields."
        case .tooManyInformational(let limit):
            "More than the limit of \(limit) informational (1xx) answers came ahead of a final one."
        case .contentLengthInvalid:
            "The answer's Content-Length is not a number of bytes."
        case .contentLengthConflict:
            "The answer's Content-Length is given more than once, with different numbers."
        case .lengthWithTransferEncoding:
            "The answer has both Content-Length and Transfer-Encoding, so where it ends is ambiguous."
        case .framingFieldFolded:
            "A field that frames the answer is folded over several lines, so where the answer ends is ambiguous."
        case .transferCodingUnsupported(let codings):
            "The answer's Transfer-Encoding is \"\(codings)\"; only \"chunked\" is supported."
        case .transferEncodingInHTTP10:
            "The answer is HTTP/1.0 and has a Transfer-Encoding, which that version does not know."
        case .chunkSizeInvalid:
            "A chunk of the answer's body does not start with a valid size."
        case .chunkSizeLineTooLong(let limit):
            "A chunk-size line of the answer's body is longer than the limit of \(limit) bytes."
        case .chunkDataUnterminated:
            "The data of a chunk of the answer's body is longer than the size it was announced with."
        case .trailersTooLarge(let limit):
            "The answer's trailer section is larger than the limit of \(limit) bytes."
        case .upgradeNotAsked:
            "The answer switches to another protocol (101), and the request has no Upgrade field."
        case .cutOff(let part):
            part.description
        }
    }
}

extension HTTP1ParseError.Part: CustomStringConvertible {
    package var description: String {
        switch self {
        case .beforeResponse: "The server closed the connection without an answer."
        case .head: "The server closed the connection inside the answer's head."
        case .body(let missing): "The server closed the connection with \(missing) bytes of the body still to come."
        case .chunkedBody: "The server closed the connection ahead of the last chunk of the body."
        case .trailers: "The server closed the connection inside the answer's trailers."
        }
    }
}
