/// The progress of the transfer of a body.
///
/// ```swift
/// let download = session.download("https://example.org/archive.zip", to: .temporary)
///     .downloadProgress { print($0.fractionCompleted) }
/// ```
///
/// A request reports it to handlers, has it in a property, and yields it to a sequence, for each direction. It restarts
/// at 0 if the body is transferred again, for example after a retry. A download that is continued then goes on at the
/// first byte that is requested.
///
/// It counts the bytes on the connection. Those of a compressed response body are counted before they are decoded, so
/// that they match the declared length.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes so far.
    public var completed: Int64
    /// The number of bytes in total. `nil` while it is unknown. At the end of the body it is known.
    public var total: Int64?
    /// The bytes per second, an average in which the last seconds count most.
    ///
    /// The session's clock measures it from the first report or the first read of the property on. `nil` until at least
    /// 50 ms have been measured.
    public var throughput: Double?

    /// The time between two reports of a request or of a ``TransferGroup``, by the session's clock: 1/60 s.
    ///
    /// Progress before that is held back, and reported with a later one or at the end. The first report, the end of the
    /// body, a restart, and a total that becomes known or unknown do not wait. The properties are always up to date.
    public static let reportInterval: Duration = .nanoseconds(16_666_667)

    /// Creates a progress.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes so far. Default: 0.
    ///   - total: The number of bytes in total. Default: `nil`, unknown.
    ///   - throughput: The bytes per second. Default: `nil`, not measured.
    public init(completed: Int64 = 0, total: Int64? = nil, throughput: Double? = nil) {
        self.completed = completed
        self.total = total
        self.throughput = throughput
    }

    /// The completed fraction, from 0 to 1. It is 0 while the total is unknown, and 1 for an empty body.
    public var fractionCompleted: Double {
        guard let total else { return 0 }
        return total > 0 ? min(max(0, Double(completed) / Double(total)), 1) : 1
    }

    /// Whether all bytes are transferred.
    public var isFinished: Bool { total.map { completed >= $0 } ?? false }

    /// Whether the total is unknown, so that ``fractionCompleted`` has no meaning.
    public var isIndeterminate: Bool { total == nil }

    /// The estimated time until the transfer is finished.
    ///
    /// `nil` if the total or the throughput is unknown, if less than one byte per second is transferred, or if it would
    /// take 100 hours or more.
    public var estimatedTimeRemaining: Duration? {
        guard let total else { return nil }
        guard completed < total else { return .zero }
        guard let throughput, throughput >= 1 else { return nil }
        let seconds = (Double(total) - Double(completed)) / throughput
        return seconds < 360_000 ? .seconds(seconds) : nil
    }
}

/// The names of Foundation's `Progress`.
extension TransferProgress {
    /// The number of bytes so far. The same as ``completed``.
    public var completedUnitCount: Int64 { completed }

    /// The number of bytes in total, or −1 if it is unknown. See ``total``.
    public var totalUnitCount: Int64 { total ?? -1 }
}

extension TransferProgress: CustomStringConvertible {
    /// The facts that are known, for people: `1.2 MB of 4.0 MB, 3.1 MB/s, 1 s left`.
    public var description: String {
        var facts = ByteCount.text(completed)
        if let total { facts += " of \(ByteCount.text(total))" }
        if let throughput { facts += ", \(ByteCount.rate(throughput))" }
        if !isFinished, let time = estimatedTimeRemaining { facts += ", \(Self.text(time)) left" }
        return facts
    }

    private static func text(_ time: Duration) -> String {
        let seconds = Int(time.inSeconds.rounded(.up))
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        }
    }
}
