/// The first frame of a connection after which two clients disagree.
struct HTTP2Difference {
    let connection: HTTP2Case
    let frame: HTTP2SentFrame
    /// The outcome before the frame, about which both agree.
    let before: HTTP2Outcome
    let ours: HTTP2Outcome
    let theirs: HTTP2Outcome
    let ourReason: String
    let theirReason: String
    /// Whether the server has acknowledged the SETTINGS of the client.
    let isAcknowledged: Bool
    /// Whether a value was not UTF-8, so that SwiftNIO counts another number of bytes for it.
    let hasRepairedText: Bool

    var ourVerdict: HTTP2Outcome.Verdict { ours.verdict(since: before) }
    var theirVerdict: HTTP2Outcome.Verdict { theirs.verdict(since: before) }
    var request: HTTP2Case.Request? {
        connection.requests.first { (request: HTTP2Case.Request) -> Bool in request.stream == frame.stream }
    }

    /// The final status of the response, if a client accepts it.
    var status: String? { ours.streams[frame.stream]?.status ?? theirs.streams[frame.stream]?.status }

    var isHeaderBlock: Bool { frame.type == HTTP2Peer.Kind.headers || frame.type == HTTP2Peer.Kind.continuation }

    /// Whether more frames of a header block have to follow, or the block is empty.
    var isIncompleteBlock: Bool {
        let begins = isHeaderBlock || frame.type == HTTP2Peer.Kind.pushPromise
        return begins && (frame.flags & 0x4 == 0 || frame.payload.isEmpty)
    }

    /// A name for the class of an unexplained difference.
    var title: String {
        let reason = String(ourReason.map { (letter: Character) -> Character in letter.isNumber ? "#" : letter })
        return "\(frame.typeName): Apus: \(ourVerdict.name) (\(reason.isEmpty ? "no fault" : reason)); "
            + "SwiftNIO: \(theirVerdict.name) (\(theirReason.isEmpty ? "no fault" : theirReason))"
    }

    /// A text from which a person can judge the difference.
    func example(_ number: Int, frameCount: Int) -> String {
        let requests = connection.requests.map(\.text).joined(separator: ", ")
        let bytes = connection.frames.prefix(frameCount).map(hexadecimal).joined(separator: " ")
        let cancelled = connection.cancellations.map { (place: Int, stream: Int32) -> String in
            "; stream \(stream) cancelled after \(place) frames"
        }
        return """
                      case \(number): \(requests); window \(connection.streamWindowBytes)\(cancelled.joined())
                      \(bytes)
                      Apus: \(ours) \(ourReason)
                      SwiftNIO: \(theirs) \(theirReason)
            """
    }
}
