internal import ApusCore

/// Decodes the content codings of a body, the last applied first, and limits how far the body may expand.
///
/// The limit is relative to the bytes received. It applies to the output of every coding, not only of the last one: an
/// intermediate stage that expands without end takes time even if it leads to no final output.
struct ContentDecoder {
    /// Above this many coded bytes, or with several codings, decoding would delay other requests.
    static let longBytes = 16 << 10

    private struct Stage {
        let inflater: Inflater
        var produced = 0
    }

    /// The stages, starting with the outermost coding.
    private var stages: [Stage]
    private var received = 0
    private let ratio: Int
    private let floor: Int
    /// The maximum number of bytes that may be dropped after the body.
    private let ignorable: Int
    /// The number of bytes decoded from the current chunk.
    private var producedOfChunk = 0

    init(_ codings: ContentCodings, limits: ResponseLimits) {
        let ignoresRest = limits.parsing == .lenient
        self.stages = codings.applied.reversed().map {
            Stage(inflater: Inflater($0.format, ignoresRest: ignoresRest))
        }
        self.ratio = limits.expansionRatio
        self.floor = limits.expansionFloorBytes
        self.ignorable = limits.collectedBodyBytes
    }

    /// Whether the next step takes long.
    ///
    /// The first full piece of a chunk of common size does not, but hundreds of pieces may follow it.
    var isLong: Bool {
        guard let first = stages.first, stages.contains(where: { $0.inflater.hasWork }) else { return false }
        return producedOfChunk >= Inflater.pieceBytes || stages.count > 1 || first.inflater.unreadCount > Self.longBytes
    }

    /// The number of received bytes that were decoded so far, including dropped ones.
    var decodedCount: Int { received - (stages.first?.inflater.unreadCount ?? 0) }

    /// The number of bytes dropped after complete gzip bodies, over all codings.
    var ignoredCount: Int { stages.reduce(0) { $0 + $1.inflater.ignoredCount } }

    /// Takes a received chunk. Call it only after a step has asked for input.
    mutating func feed(_ chunk: BodyChunk) {
        received += chunk.count
        stages.first?.inflater.feed(chunk)
        producedOfChunk = 0
    }

    /// Marks the end of the received bytes.
    mutating func finish() {
        stages.first?.inflater.finish()
    }

    /// Decodes the next piece.
    ///
    /// - Throws: `ApusError`: `contentCodingFailed`, `expansionLimit`, `bodyTooLarge`.
    mutating func next() throws(ApusError) -> Inflater.Step {
        var index = stages.count - 1
        while index >= 0 {
            switch try stages[index].inflater.next() {
            case .chunk(let piece):
                try count(piece, of: index)
                guard index < stages.count - 1 else {
                    producedOfChunk += piece.count
                    return .chunk(piece)
                }
                index += 1
                stages[index].inflater.feed(piece)
            case .needsInput:
                try checkIgnored(of: index)
                index -= 1
            case .ended:
                try checkIgnored(of: index)
                guard index < stages.count - 1 else { return .ended }
                index += 1
                stages[index].inflater.finish()
            }
        }
        return .needsInput
    }

    /// Dropped bytes decode to nothing, so the limits on decoded bytes do not cover them.
    private func checkIgnored(of index: Int) throws(ApusError) {
        guard stages[index].inflater.ignoredCount > 0, ignoredCount > ignorable else { return }
        throw ApusError(
            .bodyTooLarge,
            "more than \(ignorable) bytes follow the gzip data",
            hint: "raise limits.collectedBodyBytes to ignore more of them"
        )
    }

    private mutating func count(_ piece: BodyChunk, of index: Int) throws(ApusError) {
        stages[index].produced += piece.count
        let produced = stages[index].produced
        guard produced > floor else { return }
        let (allowed, isAnySize) = received.multipliedReportingOverflow(by: ratio)
        guard isAnySize || produced <= allowed else {
            throw ApusError(
                .expansionLimit,
                "\(received) received bytes expanded to more than \(produced - piece.count) bytes, which is "
                    + "above \(floor) bytes and more than \(ratio) times as many",
                hint: "raise limits.expansionRatio or limits.expansionFloorBytes if that is expected"
            )
        }
    }
}
