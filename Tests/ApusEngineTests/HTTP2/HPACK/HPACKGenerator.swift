internal import ApusTestServer

@testable internal import ApusEngine

/// Generates header lists, and damages header blocks, the same for the same seed.
struct HPACKGenerator: RandomNumberGenerator {
    struct Line {
        let name: String
        let value: [UInt8]
        let indexing: HPACKEncoder.Indexing

        /// The line as text that distinguishes all bytes.
        var text: String { "\(name) \(value)" }
    }

    private var numbers: SeededGenerator

    init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    mutating func octet() -> UInt8 {
        UInt8(truncatingIfNeeded: next())
    }

    mutating func octets(count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for _ in 0..<count { octets.append(octet()) }
        return octets
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func line() -> Line {
        let name = self.name()
        let value = self.value(isText: name.hasPrefix(":"))
        let indexing = self.indexing()
        return Line(name: name, value: value, indexing: indexing)
    }

    private mutating func name() -> String {
        switch Int.random(in: 0..<20, using: &self) {
        case 0..<10: return pick(Self.names)
        case 10..<19: return "x-\(Int.random(in: 0..<12, using: &self))"
        default: return String(repeating: "n", count: Int.random(in: 1..<300, using: &self))
        }
    }

    private mutating func value(isText: Bool) -> [UInt8] {
        if isText || chance(60) { return Array(pick(Self.values).utf8) }
        let count = chance(5) ? Int.random(in: 0..<5_000, using: &self) : Int.random(in: 0..<40, using: &self)
        let highest: UInt8 = chance(20) ? 0xFF : 0x7E
        var value: [UInt8] = []
        for _ in 0..<count {
            let octet = UInt8.random(in: 0x21...highest, using: &self)
            value.append(octet == 0x7F ? 0x7E : octet)
        }
        return value
    }

    private mutating func indexing() -> HPACKEncoder.Indexing {
        pick([.indexed, .indexed, .indexed, .indexed, .notIndexed, .never])
    }

    /// Changes a block at one place.
    mutating func damage(_ block: inout [UInt8]) {
        guard !block.isEmpty else {
            block = octets(count: 4)
            return
        }
        let index = Int.random(in: 0..<block.count, using: &self)
        switch Int.random(in: 0..<8, using: &self) {
        case 0, 1: block[index] = octet()
        case 2: block[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 3: block.insert(pick(Self.interesting), at: index)
        case 4: block.remove(at: index)
        case 5: block.removeSubrange(index...)
        case 6:
            let end = min(block.count, index + Int.random(in: 1...24, using: &self))
            block.insert(contentsOf: Array(block[index..<end]), at: index)
        default: block[index] = pick(Self.interesting)
        }
    }

    private static let names: [String] = [
        ":method", ":path", ":authority", ":status", "cookie", "accept", "user-agent", "date", "set-cookie",
        "content-type", "accept-encoding", "www-authenticate",
    ]
    private static let values: [String] = [
        "", "GET", "POST", "/", "/index.html", "200", "404", "gzip, deflate", "a", "b", "c", "no-cache",
        "www.example.com", "Mon, 21 Oct 2013 20:13:21 GMT", "a long value, which takes its part of the table",
    ]
    private static let interesting: [UInt8] = [
        0x00, 0x01, 0x0F, 0x10, 0x1F, 0x20, 0x3F, 0x40, 0x41, 0x7E, 0x7F, 0x80, 0x81, 0x82, 0xBD, 0xBE, 0xBF, 0xC0,
        0xE1, 0xFE, 0xFF,
    ]
}
