internal import HTTPTypes

@testable internal import ApusEngine

/// A step of a connection: bytes of the server, or a call of the client.
enum HTTP2FuzzStep {
    case bytes([UInt8])
    case open(HTTPRequest.Method, RequestFraming)
    case send(Int32, count: Int, endStream: Bool)
    case endRequest(Int32, hasTrailers: Bool)
    case consume(Int32, count: Int)
    case consumeAll
    case cancel(Int32)
    case ping(UInt64)
    case shutDown
    case pass(nanoseconds: UInt64)
    case roundTrip(nanoseconds: UInt64)
    /// Whether the channel accepts no output from now on.
    case hold(Bool)
}

/// The places at which the bytes of a step are cut into reads.
enum HTTP2FuzzCuts {
    case none
    case everywhere
    case random(seed: UInt8)

    /// Returns the sizes of the reads for `count` bytes.
    func sizes(_ count: Int) -> [Int] {
        switch self {
        case .none: return count > 0 ? [count] : []
        case .everywhere: return [Int](repeating: 1, count: count)
        case .random(let seed):
            var sizes: [Int] = []
            var state = UInt32(seed) &* 977 &+ UInt32(truncatingIfNeeded: count)
            var rest = count
            while rest > 0 {
                state = state &* 1_664_525 &+ 1_013_904_223
                let size = min(rest, 1 + Int(state >> 16) % (seed < 128 ? 13 : 97))
                sizes.append(size)
                rest -= size
            }
            return sizes
        }
    }
}
