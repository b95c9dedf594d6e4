/// Limits how many requests may be hedged. Each request adds a fraction of a hedge, and each hedge takes a whole one.
struct HedgeBudget: Sendable {
    /// The maximum number of hedges that can be saved up.
    static let maximumSaved = 10
    /// Counted in millionths, so that ten tenths add up to exactly one.
    private static let hedge = 1_000_000

    private let deposit: Int
    private var saved = 0

    /// - Parameter share: The share of all requests that may be hedged, from 0 to 1.
    init(share: Double) {
        self.deposit = Int((max(0, min(1, share)) * Double(Self.hedge)).rounded())
    }

    mutating func noteRequest() {
        saved = min(saved + deposit, Self.hedge * Self.maximumSaved)
    }

    /// Takes a hedge. Returns `false` if none is available.
    mutating func take() -> Bool {
        guard saved >= Self.hedge else { return false }
        saved -= Self.hedge
        return true
    }
}
