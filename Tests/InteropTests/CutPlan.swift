internal import ApusTestServer
internal import Foundation

/// The random numbers of bytes after which a relay cuts its connections, one after the other.
///
/// `APUS_SEED` sets the seed.
struct CutPlan: Sendable {
    static let seed = ProcessInfo.processInfo.environment["APUS_SEED"].flatMap { UInt64($0) } ?? 42

    private let counts: [Int]
    private let resets: Bool

    /// - Parameters:
    ///   - range: The numbers of bytes.
    ///   - resets: Whether clients get a RST.
    ///   - salt: Changes the numbers.
    init(in range: ClosedRange<Int>, resets: Bool = false, salt: Int = 0) {
        var generator = SeededGenerator(seed: Self.seed &+ UInt64(salt))
        self.counts = (0..<1_000).map { _ in Int.random(in: range, using: &generator) }
        self.resets = resets
    }

    /// Returns the end of a connection. `nil` after very many cuts, so that no test runs forever.
    func cut(_ connection: Int, waitsForAnswer: Bool = false) -> CuttingRelay.Cut? {
        guard counts.indices.contains(connection - 1) else { return nil }
        return CuttingRelay.Cut(after: counts[connection - 1], waitsForAnswer: waitsForAnswer, resets: resets)
    }
}
