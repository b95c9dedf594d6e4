internal import HTTPTypes
internal import NIOCore

@testable internal import ApusEngine

/// Compares the clients of Apus and SwiftNIO on generated connections, frame by frame, up to the first difference.
struct HTTP2Comparison {
    typealias Verdict = HTTP2Outcome.Verdict

    private var frameCount = 0
    private var connectionCount = 0
    /// The worst verdicts of both clients on a connection.
    private var table: [[Int]]
    private var known = DifferenceTally()
    private var unexplained = DifferenceTally()
    /// The pairs of codes for faults that both clients find.
    private var codes = DifferenceTally()

    init() {
        table = [[Int]](repeating: [Int](repeating: 0, count: Verdict.allCases.count), count: Verdict.allCases.count)
    }

    var isGood: Bool { unexplained.total == 0 }

    /// Compares one connection.
    mutating func compare(_ connection: HTTP2Case, number: Int) throws {
        connectionCount += 1
        var ours = try ApusHTTP2Client(connection)
        let theirs = try NIOHTTP2Client(connection)
        let start = ours.outcome
        var server = HTTP2CaseServer()
        for (index, bytes) in connection.frames.enumerated() {
            if let stream = connection.cancellations[index], ours.outcome.isOpen(stream) {
                ours.cancel(stream)
                try theirs.cancel(stream)
            }
            let before = ours.outcome
            server.send(bytes)
            ours.receive(bytes)
            try theirs.receive(bytes)
            frameCount += 1
            let haveBothFailed = ours.outcome.isFailed && theirs.outcome.isFailed
            if !haveBothFailed, ours.outcome != theirs.outcome {
                let difference = HTTP2Difference(
                    connection: connection,
                    frame: HTTP2SentFrame(bytes),
                    before: before,
                    ours: ours.outcome,
                    theirs: theirs.outcome,
                    ourReason: ours.reason,
                    theirReason: theirs.reason + server.blockFault,
                    isAcknowledged: server.hasAcknowledged,
                    hasRepairedText: server.hasRepairedText
                )
                add(difference, number, frameCount: index + 1)
                break
            }
            if haveBothFailed {
                add(ours.failureCode, theirs.failureCode, HTTP2SentFrame(bytes))
                break
            }
        }
        table[ours.outcome.verdict(since: start).rawValue][theirs.outcome.verdict(since: start).rawValue] += 1
    }

    private mutating func add(_ difference: HTTP2Difference, _ number: Int, frameCount: Int) {
        let example = difference.example(number, frameCount: frameCount)
        if let rule = HTTP2KnownDifference.explaining(difference) {
            known.add(rule.rawValue, example: example)
        } else {
            unexplained.add(difference.title, example: example)
        }
    }

    private mutating func add(_ ours: UInt32?, _ theirs: UInt32?, _ frame: HTTP2SentFrame) {
        guard let ours, let theirs, ours != theirs else { return }
        let (left, right) = (HTTP2ErrorCode(rawValue: ours), HTTP2ErrorCode(rawValue: theirs))
        codes.add("\(left.description), \(right.description)", example: "          for example \(frame)")
    }

    /// Prints the numbers of connections by verdict, and all classes of differences.
    func report() {
        print("\(connectionCount) connections, \(frameCount) frames; in rows Apus, in columns SwiftNIO:")
        let names = Verdict.allCases.map(\.name)
        print("                  " + names.map { (name: String) -> String in "  \(name)" }.joined())
        for (row, name) in zip(table, names) {
            let cells = zip(row, names).map { (count: Int, column: String) -> String in
                let digits = String(count)
                return String(repeating: " ", count: max(0, column.utf8.count + 2 - digits.utf8.count)) + digits
            }
            print(name + String(repeating: " ", count: max(0, 18 - name.utf8.count)) + cells.joined())
        }
        print("\nerrors of the connection with other codes: \(codes.total)")
        for line in codes.lines({ _ in nil }) { print(line) }
        print("\nknown differences: \(known.total)")
        for line in known.lines({ HTTP2KnownDifference(rawValue: $0)?.sentence }) { print(line) }
        print("\nunexplained differences: \(unexplained.total)")
        for line in unexplained.lines({ _ in nil }) { print(line) }
    }
}

/// The facts about the bytes of a server that explain differences.
struct HTTP2CaseServer {
    private var parser = HTTP2FrameParser(limits: HTTP2Limits())
    private var input = ByteBuffer()
    private var ours = HPACKReading()
    private var theirs = NIOHPACKReading()
    /// The lines of each header block, as far as they are valid.
    private(set) var blocks: [[String]] = []
    private(set) var hasAcknowledged = false
    private(set) var hasRepairedText = false
    /// The name of SwiftNIO's error for the last header block, in parentheses.
    private(set) var blockFault = ""

    mutating func send(_ bytes: [UInt8]) {
        blockFault = ""
        input.writeBytes(bytes)
        do throws(HTTP2ConnectionError) {
            while let frame = try parser.next(&input) { note(frame) }
        } catch {
            // Both clients end here.
        }
    }

    private mutating func note(_ frame: HTTP2Frame) {
        switch frame {
        case .settingsAcknowledged: hasAcknowledged = true
        case .headers(_, let block, _):
            let bytes = Array(block.readableBytesView)
            ours.read(bytes)
            theirs.read(bytes)
            blocks.append(ours.lines)
            if let failure = theirs.failure { blockFault = " (\(failure))" }
            if theirs.hasRepairedText { hasRepairedText = true }
        default: break
        }
    }
}

extension HTTP2Outcome {
    /// Whether a stream may still be cancelled.
    func isOpen(_ stream: Int32) -> Bool {
        guard let known = streams[stream] else { return false }
        return known.end == .open && !known.isReset && !isFailed
    }
}

/// Compares connections and header blocks with SwiftNIO, and prints a report. The arguments are the number of each, and
/// the seed.
///
/// - Returns: Whether every difference is known.
func compareWithSwiftNIO(_ arguments: ArraySlice<String>) throws -> Bool {
    let numbers = arguments.compactMap { (text: String) -> Int? in Int(text) }
    let count = numbers.first ?? 20_000
    let seed = UInt64(numbers.dropFirst().first ?? 1)
    var connections = HTTP2Comparison()
    var blocks = HPACKComparison()
    for number in 0..<count {
        var generator = HTTP2CaseGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        try connections.compare(generator.connection(), number: number)
        blocks.compare(seed: seed &* 1_000_003 &+ UInt64(number), number: number)
    }
    connections.report()
    print()
    blocks.report()
    return connections.isGood && blocks.isGood
}
