internal import Foundation

extension Duration {
    /// Creates a duration from seconds. Negative numbers and "not a number" are zero. Larger ones than 1e9 are 1e9.
    init(interval seconds: TimeInterval) {
        self = seconds > 0 ? .seconds(min(seconds, 1e9)) : .zero
    }
}
