internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import Testing

/// Parses a form into a tree, and rejects any deviation from the expected format.
private struct StrictForm {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    indirect enum Node: Equatable {
        case text(String)
        case list([Node])
        case record([String: Node])
    }

    /// Parses the pairs of a form, and splits the keys at their brackets.
    static func read(_ form: String) throws -> Node {
        guard !form.isEmpty else { return .record([:]) }
        var root = Node.record([:])
        for pair in form.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let halves = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard halves.count == 2 else { throw Fault(description: "\(Substring(pair)) is no pair") }
            root = try setting(root, try path(of: unescaped(halves[0])), try unescaped(halves[1]))
        }
        return root
    }

    private static func unescaped(_ bytes: Substring.UTF8View) throws -> String {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = String(Substring(rest.prefix(2)))
                guard digits.count == 2, digits == digits.uppercased(), let value = UInt8(digits, radix: 16) else {
                    throw Fault(description: "%\(digits) is no escape")
                }
                result.append(value)
                rest = rest.dropFirst(2)
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "?"), UInt8(ascii: "/"):
                result.append(byte)
            default:
                throw Fault(description: "byte \(byte) may not stand there")
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else { throw Fault(description: "it is no UTF-8") }
        return text
    }

    private static func path(of key: String) -> [String] {
        let parts = key.split(separator: "[", omittingEmptySubsequences: false)
        return [String(parts[0])] + parts.dropFirst().map { String($0.dropLast()) }
    }

    private static func setting(_ node: Node?, _ path: [String], _ text: String) throws -> Node {
        guard let key = path.first else {
            guard node == nil else { throw Fault(description: "a key is there twice") }
            return .text(text)
        }
        let rest = Array(path.dropFirst())
        if let index = Int(key) {
            guard case .list(var elements) = node ?? .list([]), index == elements.count || index == elements.count - 1
            else { throw Fault(description: "element \(index) is not in its place") }
            let element = index < elements.count ? elements.removeLast() : nil
            return .list(elements + [try setting(element, rest, text)])
        }
        guard case .record(var fields) = node ?? .record([:]) else {
            throw Fault(description: "\(key) is in no record")
        }
        fields[key] = try setting(fields[key], rest, text)
        return .record(fields)
    }
}

@Suite struct FormRoundTripTests {
    /// A value and the tree that must be parsed from its form.
    private struct Sample {
        let value: ParameterValue
        /// `nil` if nothing is written.
        let node: StrictForm.Node?
    }

    private static let letters = Array(
        "aZ09-._~?/ %+&=#\"'<>\\^`{|}@:!$()*,;\0\r\n\t\u{7F}éß日本🦅\u{301}\u{200D}\u{FFFD}".unicodeScalars
    )

    private func text(_ random: inout SeededGenerator, _ letters: [Unicode.Scalar] = Self.letters) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            if let letter = letters.randomElement(using: &random) { text.append(letter) }
        }
        return String(text)
    }

    /// Returns a key without brackets that is not a number, since numbers in brackets are indices of lists.
    private func key(_ random: inout SeededGenerator) -> String { "k" + text(&random) }

    private func sample(_ depth: Int, _ random: inout SeededGenerator) -> Sample {
        switch Int.random(in: 0..<(depth > 5 ? 6 : 10), using: &random) {
        case 0: return Sample(value: .null, node: nil)
        case 1:
            let value = Bool.random(using: &random)
            return Sample(value: .bool(value), node: .text(value ? "1" : "0"))
        case 2:
            let value = Int.random(in: .min ... .max, using: &random)
            return Sample(value: .integer(value), node: .text("\(value)"))
        case 3:
            let value = Double.random(in: -1e20...1e20, using: &random)
            return Sample(value: .number(value), node: .text(Int(exactly: value)?.description ?? value.description))
        case 4, 5:
            let value = text(&random)
            return Sample(value: .string(value), node: .text(value))
        case 6, 7:
            let samples = (0..<Int.random(in: 0...4, using: &random)).map { _ in sample(depth + 1, &random) }
            let nodes = samples.compactMap(\.node)
            return Sample(value: .array(samples.map(\.value)), node: nodes.isEmpty ? nil : .list(nodes))
        default:
            return record(depth, &random)
        }
    }

    private func record(_ depth: Int, _ random: inout SeededGenerator) -> Sample {
        var samples: [String: Sample] = [:]
        for _ in 0..<Int.random(in: 0...5, using: &random) { samples[key(&random)] = sample(depth + 1, &random) }
        let nodes = samples.compactMapValues(\.node)
        return Sample(
            value: .dictionary(samples.mapValues(\.value)),
            node: nodes.isEmpty && depth > 0 ? nil : .record(nodes)
        )
    }

    @Test(arguments: UInt64(1)...20) func roundTripsThroughAStrictParser(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sorted = URLEncodedFormEncoder(arrayEncoding: .indexInBrackets)
        var unsorted = sorted
        unsorted.alphabetizeKeyValuePairs = false
        for _ in 0..<100 {
            let sample = record(0, &random)
            let form: String = try sorted.encode(sample.value)
            #expect(try StrictForm.read(form) == sample.node)
            #expect(try StrictForm.read(unsorted.encode(sample.value)) == sample.node)
            #expect(try form == sorted.encode(sample.value), "the same value is always written the same way")
        }
    }
}
