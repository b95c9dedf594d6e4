internal import ApusCore

/// Undoes the codings of a content, the last applied first, and sees to it that it does not grow beyond measure.
///
/// The measure is what came in from the wire. Each coding is held to it, not only the last: a middle one that grows
/// without end costs time even where nothing comes out of it.
struct ContentDecoder {
    /// Above this many coded bytes, or with several codings, decoding takes so long that other requests would wait.
    static let longBytes = 16 << 10

    private struct Stage {
        let inflater: Inflater
        var produced = 0
    }

    /// The one next to the wire first.
    private var stages: [Stage]
    private var received = 0
    private let ratio: Int
    private let floor: Int
    /// The most bytes that may be dropped behind the content.
    private let ignorable: Int
    /// What came out of the chunk that is here.
    private var producedOfChunk = 0

    init(_ codings: ContentCodings, limits: Limits) {
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
    /// The first full piece of a chunk of usual size does not; where more follows it may be hundreds.
    var isLong: Bool {
        guard let first = stages.first, stages.contains(where: { $0.inflater.hasWork }) else { return false }
        return producedOfChunk >= Inflater.pieceBytes || stages.count > 1 || first.inflater.unreadCount > Self.longBytes
    }

    /// How many bytes were dropped behind complete gzip contents, of all codings.
    var ignoredCount: Int { stages.reduce(0) { $0 + $1.inflater.ignoredCount } }

    /// Takes a chunk from the wire, once a step has asked for it.
    mutating func feed(_ chunk: BodyChunk) {
        received += chunk.count
        stages.first?.inflater.feed(chunk)
        producedOfChunk = 0
    }

    /// The wire brings nothing more.
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

    /// Bytes that are dropped decode to nothing, so the limits on decoded content do not bound them.
    private func checkIgnored(of index: Int) throws(ApusError) {
        guard stages[index].inflater.ignoredCount > 0, ignoredCount > ignorable else { return }
        throw ApusError(
            .bodyTooLarge,
            "more than \(ignorable) bytes follow the gzip content; raise limits.collectedBodyBytes to ignore more of them"
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
                "\(received) bytes that came in have grown to more than \(produced - piece.count), which is "
                    + "above \(floor) bytes and more than \(ratio) times as many; raise limits.expansionRatio "
                    + "or limits.expansionFloorBytes where that is to be expected"
            )
        }
    }
}
