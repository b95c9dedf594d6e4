internal import NIOCore

@testable internal import ApusEngine

/// Compares the HPACK decoders of Apus and SwiftNIO on generated header blocks.
struct HPACKComparison {
    /// The rules by which they may differ. A difference without a rule is a finding.
    private enum Rule: String, CaseIterable {
        case emptyName = "empty name"
        case sizeUpdates = "size updates"
        case integer
        case text

        var sentence: String {
            switch self {
            case .emptyName: "HPACK has empty names, which only make a message malformed (RFC 7541 §5.2)"
            case .sizeUpdates: "more than two size updates at the beginning of a block are harmless (RFC 7541 §4.2)"
            case .integer: "an integer has at most 31 bits and five further bytes (RFC 7541 §5.1)"
            case .text: "SwiftNIO counts text with replacements for bytes that are not UTF-8 (RFC 7541 §4.1)"
            }
        }
    }

    private var blockCount = 0
    private var agreements = (decoded: 0, rejected: 0)
    private var known = DifferenceTally()
    private var unexplained = DifferenceTally()

    var isGood: Bool { unexplained.total == 0 }

    /// Compares the blocks of one connection, up to the first error or difference.
    mutating func compare(seed: UInt64, number: Int) {
        var generator = HPACKCaseGenerator(seed: seed)
        var ours = HPACKReading()
        var theirs = NIOHPACKReading()
        var sent: [[UInt8]] = []
        var hasRepairedText = false
        for _ in 0..<generator.blockCount() {
            let block = generator.block()
            sent.append(block)
            blockCount += 1
            ours.read(block)
            theirs.read(block)
            if theirs.hasRepairedText { hasRepairedText = true }
            if ours.failure != nil, theirs.failure != nil {
                agreements.rejected += 1
                return
            }
            guard let fault = difference(ours, theirs) else {
                agreements.decoded += 1
                continue
            }
            let bytes = sent.map(hexadecimal).joined(separator: " ")
            let example = "          case \(number): \(bytes)\n          Apus: \(ours.lines), SwiftNIO: \(theirs.lines)"
            if let rule = knownRule(ours, theirs, hasRepairedText: hasRepairedText) {
                known.add(rule.rawValue, example: example)
            } else {
                unexplained.add(fault, example: example)
            }
            return
        }
    }

    /// Returns a name for the difference of two results, of which at most one is an error.
    private func difference(_ ours: HPACKReading, _ theirs: NIOHPACKReading) -> String? {
        if let failure = theirs.failure { return "Apus decodes the block, SwiftNIO reports \(failure)" }
        if let failure = ours.failure { return "SwiftNIO decodes the block, Apus reports \(failure)" }
        guard ours.headers.count == theirs.lines.count else { return "other numbers of lines" }
        for (header, line) in zip(ours.headers, theirs.lines) {
            if header.value != line.value { return "other values" }
            // Apus keeps no name that makes its message malformed.
            let hasName = header.nameText != "invalid" && header.nameText != ":"
            if hasName, header.nameText != line.name { return "other names" }
            if NIOHPACKReading.isRepaired(line.name) || NIOHPACKReading.isRepaired(line.value) { continue }
            if header.byteCount != line.name.utf8.count + line.value.utf8.count + 32 { return "other sizes" }
        }
        return nil
    }

    private func knownRule(_ ours: HPACKReading, _ theirs: NIOHPACKReading, hasRepairedText: Bool) -> Rule? {
        switch theirs.failure {
        case "EmptyLiteralHeaderFieldName": return .emptyName
        case "IllegalDynamicTableSizeChange": return .sizeUpdates
        default: break
        }
        if ours.failure == .integerTooLarge { return .integer }
        // The block with the repaired text may be the one that SwiftNIO rejects.
        let decodesRepairedText = theirs.failure != nil && ours.headers.contains { NIOHPACKReading.isRepaired($0.value) }
        return hasRepairedText || decodesRepairedText ? .text : nil
    }

    func report() {
        print("\(blockCount) header blocks: \(agreements.decoded) are decoded equally, \(agreements.rejected) rejected")
        print("\nknown differences: \(known.total)")
        for line in known.lines({ Rule(rawValue: $0)?.sentence }) { print(line) }
        print("\nunexplained differences: \(unexplained.total)")
        for line in unexplained.lines({ _ in nil }) { print(line) }
    }
}

/// Generates the header blocks of one connection: encoded by Apus, by SwiftNIO, or written line by line, and damaged.
private struct HPACKCaseGenerator {
    private enum Source: CaseIterable {
        case apus
        case swiftNIO
        case raw
    }

    private var random: SeededGenerator
    private let source: Source
    private var encoder = HPACKEncoder()
    private var otherEncoder = NIOHPACKWriting()

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        source = Source.allCases.randomElement(using: &random) ?? .apus
    }

    mutating func blockCount() -> Int { Int.random(in: 1...6, using: &random) }

    mutating func block() -> [UInt8] {
        var block: [UInt8] = []
        switch source {
        case .apus: block = encoded()
        case .swiftNIO: block = otherEncoder.block(lines()) ?? []
        case .raw:
            for _ in 0..<number(6) { block += rawLine() }
        }
        if number(100) < 35 {
            for _ in 0...number(2) { damage(&block) }
        }
        return block
    }

    private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(elements.count)] }

    private mutating func encoded() -> [UInt8] {
        if number(10) == 0 { encoder.setPeerTableBytes(pick([0, 32, 64, 200, 4_096])) }
        var buffer = ByteBuffer()
        encoder.begin(into: &buffer)
        for (name, value) in lines() {
            encoder.encode(name: name, value: value, pick([.indexed, .indexed, .notIndexed, .never]), into: &buffer)
        }
        return Array(buffer.readableBytesView)
    }

    private mutating func lines() -> [(String, String)] {
        var lines: [(String, String)] = []
        for _ in 0..<number(8) {
            var value = pick(Self.values)
            if number(5) == 0 {
                let letter: String = pick(["v", "\u{E4}", "~"])
                value = String(repeating: letter, count: number(900))
            }
            lines.append((pick(Self.names), value))
        }
        return lines
    }

    /// Returns a line in any representation, or a size update.
    private mutating func rawLine() -> [UInt8] {
        switch number(10) {
        case 0...2: return integer(pick([0, 1, 2, 8, 61, 62, 63, 64, 70, 200]), prefixBits: 7, pattern: 0x80)
        case 3: return integer(pick([0, 1, 31, 64, 4_096, 4_097, 70_000]), prefixBits: 5, pattern: 0x20)
        case 4:
            let first: UInt8 = pick([0x7F, 0x0F, 0xFF, 0x3F])
            let zeros = [UInt8](repeating: 0x80, count: number(7))
            return [first] + zeros + [UInt8(number(3))]
        case 5...7: return literal(prefixBits: 6, pattern: 0x40)
        case 8: return literal(prefixBits: 4, pattern: 0x00)
        default: return literal(prefixBits: 4, pattern: 0x10)
        }
    }

    private mutating func literal(prefixBits: Int, pattern: UInt8) -> [UInt8] {
        let index = pick([0, 0, 1, 8, 31, 61, 62, 63, 80])
        var bytes = integer(index, prefixBits: prefixBits, pattern: pattern)
        if index == 0 { bytes += text(pick(Self.names + ["", "A", "a b"])) }
        return bytes + text(pick(Self.values))
    }

    private mutating func text(_ text: String) -> [UInt8] {
        // Random bytes are rarely valid in the Huffman code, but often nearly.
        if number(8) == 0 {
            let count = number(6)
            return integer(count, prefixBits: 7, pattern: 0x80) + (0..<count).map { (_: Int) -> UInt8 in octet() }
        }
        return integer(text.utf8.count, prefixBits: 7, pattern: 0) + Array(text.utf8)
    }

    private mutating func octet() -> UInt8 { UInt8.random(in: 0...255, using: &random) }

    private func integer(_ value: Int, prefixBits: Int, pattern: UInt8) -> [UInt8] {
        let mask = (1 << prefixBits) - 1
        guard value >= mask else { return [pattern | UInt8(value)] }
        var bytes = [pattern | UInt8(mask)]
        var rest = value - mask
        while rest >= 128 {
            bytes.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return bytes + [UInt8(rest)]
    }

    private mutating func damage(_ block: inout [UInt8]) {
        if block.isEmpty { block = [octet()] }
        let index = number(block.count)
        switch number(5) {
        case 0: block[index] = octet()
        case 1: block[index] ^= 1 << UInt8(number(8))
        case 2: block.insert(pick([0x00, 0x20, 0x3F, 0x40, 0x7F, 0x80, 0xBE, 0xFF]), at: index)
        case 3: block.remove(at: index)
        default: block.removeSubrange(index...)
        }
    }

    private static let names = [
        ":status", "server", "date", "cookie", "set-cookie", "x-a", "x-b", "x-c", "content-type", "accept-encoding",
    ]
    private static let values = [
        "", "200", "404", "a", "b", "gzip, deflate", "Mon, 21 Oct 2013 20:13:21 GMT", "text/html; charset=utf-8",
        "\u{0}",
    ]
}
