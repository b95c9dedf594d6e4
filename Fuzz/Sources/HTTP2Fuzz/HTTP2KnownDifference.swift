/// The rules by which Apus and SwiftNIO may read a connection differently. A difference without a rule is a finding.
enum HTTP2KnownDifference: String, CaseIterable {
    // Apus accepts more.
    case closedStream = "closed stream"
    case closingConnection = "closing connection"
    case priority
    case extensionFrame = "extension frame"
    case connectProtocol = "SETTINGS_ENABLE_CONNECT_PROTOCOL"
    case acknowledgement
    case goAwayStream = "stream of a GOAWAY"
    case emptyName = "empty name"
    case sizeUpdates = "size updates"
    case informationalLength = "length of a 1xx"
    case connect = "CONNECT"
    case spellings = "spellings of a length"
    case padding
    case theirLimits = "limits of SwiftNIO"

    // SwiftNIO accepts more.
    case firstFrame = "first frame"
    case enablePush = "SETTINGS_ENABLE_PUSH"
    case endedRequest = "window of an ended request"
    case status
    case fieldValue = "field value"
    case integer
    case contentLength = "content length"
    case pushPromise = "PUSH_PROMISE"
    case unacknowledgedWindow = "unacknowledged window"
    case ourLimits = "limits of Apus"
    case incompleteBlock = "incomplete block"

    // Either.
    case noContent = "no content"
    case text

    /// Returns the rule for a difference, or `nil`.
    static func explaining(_ difference: HTTP2Difference) -> HTTP2KnownDifference? {
        allCases.first { (rule: HTTP2KnownDifference) -> Bool in rule.explains(difference) }
    }

    var sentence: String {
        switch self {
        case .closedStream:
            "frames on a stream that has ended are ignored up to a limit, and need not be an error (RFC 9113 §5.1)"
        case .closingConnection: "after a GOAWAY and the last stream the connection is still read (RFC 9113 §6.8)"
        case .priority: "priorities are ignored, even if a stream depends on itself (RFC 9113 §5.3.2)"
        case .extensionFrame: "frames of an unknown type are ignored, with any content (RFC 9113 §5.5)"
        case .connectProtocol: "a setting that the client does not use is ignored (RFC 9113 §6.5.2)"
        case .acknowledgement: "an acknowledgement of SETTINGS that was not requested is no error (RFC 9113 §6.5.3)"
        case .goAwayStream: "a GOAWAY with a larger or even last stream is no error (RFC 9113 §6.8)"
        case .emptyName: "an empty name makes the response malformed, not the block (RFC 9113 §8.2.1)"
        case .sizeUpdates: "more than two size updates at the beginning of a block are harmless (RFC 7541 §4.2)"
        case .informationalLength: "the length in an informational response is ignored (RFC 9110 §8.6)"
        case .connect: "a 2xx response to CONNECT has no length (RFC 9110 §9.3.6)"
        case .spellings: "equal lengths may be spelled differently (RFC 9110 §8.6)"
        case .padding: "padding leaves the window at once, since it has no reader (RFC 9113 §6.9.1)"
        case .theirLimits: "a limit of SwiftNIO (RFC 9113 §10.5)"
        case .firstFrame: "the first frame of a server is SETTINGS (RFC 9113 §3.4)"
        case .enablePush: "a server must not set SETTINGS_ENABLE_PUSH to 1 (RFC 9113 §6.5.2)"
        case .endedRequest: "an increment of 0 and too large a window are errors in every state (RFC 9113 §6.9, §6.9.1)"
        case .status: ":status has three digits and is not 101; a 1xx ends no stream (RFC 9113 §8.1, §8.3.2, §8.6)"
        case .fieldValue: "a value has no control characters, and no blanks at its ends (RFC 9113 §8.2.1)"
        case .integer: "an integer of a header block has at most 31 bits and five further bytes (RFC 7541 §5.1)"
        case .contentLength: "a Content-Length has only digits (RFC 9110 §8.6)"
        case .pushPromise: "push is forbidden for the first request too, as SETTINGS precede it (RFC 9113 §8.4)"
        case .unacknowledgedWindow: "a window applies to the first request too, as SETTINGS precede it (RFC 9113 §3.4)"
        case .ourLimits: "a limit of Apus (RFC 9113 §10.5)"
        case .incompleteBlock: "SwiftNIO checks the frames of a header block once it is complete (RFC 9113 §4.3)"
        case .noContent: "a 204 has no content, whatever its Content-Length (RFC 9110 §15.3.5)"
        case .text: "SwiftNIO counts text with replacements for bytes that are not UTF-8 (RFC 7541 §4.1)"
        }
    }

    private func explains(_ difference: HTTP2Difference) -> Bool {
        switch (difference.ourVerdict, difference.theirVerdict) {
        case (.accepted, .streamError), (.accepted, .connectionError), (.streamError, .connectionError):
            explainsRefusal(difference)
        case (.streamError, .accepted), (.connectionError, .accepted), (.connectionError, .streamError):
            explainsAcceptance(difference)
        default: self == .text && difference.hasRepairedText
        }
    }

    /// Returns whether SwiftNIO rejects the frame for this reason.
    private func explainsRefusal(_ difference: HTTP2Difference) -> Bool {
        let reason = difference.theirReason
        let type = difference.frame.type
        switch self {
        case .closedStream: return reason.hasPrefix("NoSuchStream") && (type == 0 || difference.isHeaderBlock)
        case .closingConnection:
            return reason.hasPrefix("IOOnClosedConnection") || reason.hasPrefix("CreatedStreamAfterGoaway")
        case .priority: return reason.hasPrefix("PriorityCycle")
        case .extensionFrame: return type == 0xA || type == 0xC
        case .connectProtocol: return type == HTTP2Peer.Kind.settings && reason.hasPrefix("InvalidSetting")
        case .acknowledgement: return type == HTTP2Peer.Kind.settings && reason.hasPrefix("ReceivedBadSettings")
        case .goAwayStream:
            return reason.hasPrefix("InvalidStreamIDForPeer") || reason.hasPrefix("RaisedGoawayLastStreamID")
        case .emptyName: return reason.contains("EmptyLiteralHeaderFieldName")
        case .sizeUpdates: return reason.contains("IllegalDynamicTableSizeChange")
        case .informationalLength: return reason.hasPrefix("ContentLength") && isInformational(difference)
        case .connect: return reason.hasPrefix("ContentLength") && difference.request?.method == "CONNECT"
        case .noContent: return reason.hasPrefix("ContentLength") && difference.status == "204"
        case .spellings: return reason.hasPrefix("ContentLengthHeadersMismatch")
        case .padding: return reason.hasPrefix("FlowControlViolation")
        case .theirLimits: return reason.hasPrefix("Excessive") || reason.contains("MaxHeaderListSizeViolation")
        case .text: return difference.hasRepairedText && reason.contains("InvalidHeaderIndex")
        default: return false
        }
    }

    /// Returns whether Apus rejects the frame for this reason.
    private func explainsAcceptance(_ difference: HTTP2Difference) -> Bool {
        let reason = difference.ourReason
        let type = difference.frame.type
        switch self {
        case .firstFrame: return reason.hasPrefix("The server did not begin with a SETTINGS frame") && type > 9
        case .enablePush: return reason.hasPrefix("The server set ENABLE_PUSH to 1,")
        case .endedRequest:
            return reason.hasPrefix("The server opened the stream's window")
                || reason.hasPrefix("The server's SETTINGS open a window")
        case .status:
            return reason.hasPrefix("The :status of the response is not") || reason.hasPrefix("The response is a 101")
                || reason.hasPrefix("An informational response ended the stream")
        case .fieldValue: return reason.hasPrefix("The value of the response field")
        case .integer: return reason.hasPrefix("A header block of the server contains an integer that is too large")
        case .contentLength: return reason.hasPrefix("The response's Content-Length is not a number")
        case .pushPromise: return reason.hasPrefix("The server sent a PUSH_PROMISE")
        case .unacknowledgedWindow:
            return reason.hasPrefix("The server sent more than the stream's window") && !difference.isAcknowledged
        case .ourLimits: return reason.contains("the limit of")
        case .incompleteBlock:
            let isBegun = difference.isIncompleteBlock || reason.contains("which is above the maximum")
            return isBegun && difference.theirVerdict == .accepted
        case .closingConnection: return difference.theirReason.hasPrefix("CreatedStreamAfterGoaway")
        case .noContent: return reason.hasPrefix("The response has content, although none may follow")
        case .text: return difference.hasRepairedText
        default: return false
        }
    }

    private func isInformational(_ difference: HTTP2Difference) -> Bool {
        let stream = difference.frame.stream
        let before = difference.before.streams[stream]?.informational.count ?? 0
        return (difference.ours.streams[stream]?.informational.count ?? 0) > before
    }
}
