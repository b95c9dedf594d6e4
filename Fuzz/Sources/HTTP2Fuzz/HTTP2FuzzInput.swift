internal import HTTPTypes

@testable internal import ApusEngine

/// An input, as parameters and the steps of a connection.
///
/// | byte | meaning |
/// |---|---|
/// | 0 | bits 0 and 1: the mode: raw bytes, a program, the HPACK decoder, an HPACK round trip |
/// | 1 | bit 0: small limits; bits 1 and 2: the stream window; bit 3: raw bytes begin with valid SETTINGS |
/// | 2 | bits 0 to 2: the number of requests; bits 3 to 5: the acts of the client between raw bytes |
/// | 3 | the kinds of the requests |
/// | 4 | the seed of the cuts |
/// | 5… | the bytes of the server, or a program |
struct HTTP2FuzzInput {
    enum Mode: Int {
        case raw
        case program
        case decoder
        case roundTrip
    }

    static let parameterCount = 5

    let mode: Mode
    let limits: HTTP2Limits
    let seed: UInt8
    let steps: [HTTP2FuzzStep]
    /// The bytes after the parameters.
    let content: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        mode = Mode(rawValue: Int(input[0] & 3)) ?? .raw
        limits = Self.limits(input[1])
        seed = input[4]
        content = input[Self.parameterCount...]
        var steps: [HTTP2FuzzStep] = []
        for index in 0..<Int(input[2] & 7) {
            steps.append(Self.request(Int(input[3] >> UInt8(index)) & 7))
        }
        switch mode {
        case .raw: steps += Self.rawSteps(Array(content), input[1], input[2])
        case .program:
            var program = HTTP2FuzzProgram(content)
            steps += program.run()
        case .decoder, .roundTrip: break
        }
        self.steps = steps
    }

    private static func limits(_ parameters: UInt8) -> HTTP2Limits {
        var limits = HTTP2Limits(connectionWindowBytes: 65_535)
        if parameters & 1 != 0 {
            limits = HTTP2Limits(
                headerListBytes: 256,
                fieldCount: 6,
                informationalResponses: 2,
                trailerBytes: 128,
                headerBlockBytes: 160,
                continuationFrames: 3,
                settingsFrames: 6,
                pingFrames: 8,
                emptyFrames: 12,
                resets: 4,
                windowUpdates: 12,
                pendingAcknowledgements: 5,
                concurrentStreams: 8,
                connectionWindowBytes: 65_535
            )
        }
        limits.streamWindowBytes = [1 << 20, 1, 64, 1_000][Int(parameters >> 1) & 3]
        return limits
    }

    private static func request(_ kind: Int) -> HTTP2FuzzStep {
        switch kind {
        case 1: .open(.head, .none)
        case 2: .open(.post, .chunked)
        case 3: .open(.put, .length(5_000))
        case 4: .open(.connect, .none)
        case 5: .open(.options, .none)
        default: .open(.get, .none)
        }
    }

    /// Returns the raw bytes in up to four parts, with acts of the client between them.
    private static func rawSteps(_ bytes: [UInt8], _ parameters: UInt8, _ acts: UInt8) -> [HTTP2FuzzStep] {
        var steps: [HTTP2FuzzStep] = []
        if parameters & 8 != 0 { steps.append(.bytes(HTTP2Peer.settings())) }
        let act = Int(acts >> 3) & 7
        guard act > 0 else { return steps + [.bytes(bytes)] }
        let size = max(1, bytes.count / 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            steps.append(.bytes(Array(rest.prefix(size))))
            rest = rest.dropFirst(size)
            switch act {
            case 1: steps.append(.consumeAll)
            case 2: steps.append(.cancel(1))
            case 3: steps.append(.send(3, count: 70_000, endStream: true))
            case 4: steps += [.endRequest(1, hasTrailers: false), .endRequest(3, hasTrailers: true)]
            case 5: steps += [.hold(true), .open(.get, .none)]
            case 6: steps += [.ping(7), .roundTrip(nanoseconds: 1_000), .consumeAll]
            default: steps += [.shutDown, .pass(nanoseconds: 300_000_000)]
            }
        }
        return steps
    }
}
