internal import ApusCore
internal import Metrics

extension Timer {
    /// A connection may be older than its exchange, and a response may arrive before the request's end.
    func record(noLessThanZero duration: Duration) {
        recordNanoseconds(max(0, duration.wholeNanoseconds))
    }
}
