/// How many requests may be hedged: each request puts a share of a hedge in, each hedge takes a whole one out.
struct HedgeBudget: Sendable {
    /// The most hedges that are saved up in quiet times.
    static let maximumSaved = 10
    /// Counted in millionths, so that ten tenths are one.
    private static let hedge = 1_000_000

    private let deposit: Int
    private var saved = 0

    /// - Parameter share: Of all requests, from 0 to 1.
    init(share: Double) {
        self.deposit = Int((max(0, min(1, share)) * Double(Self.hedge)).rounded())
    }

    mutating func noteRequest() {
        saved = min(saved + deposit, Self.hedge * Self.maximumSaved)
    }

    /// Takes a hedge out; `false` where there is none.
    mutating func take() -> Bool {
        guard saved >= Self.hedge else { return false }
        saved -= Self.hedge
        return true
    }
}
