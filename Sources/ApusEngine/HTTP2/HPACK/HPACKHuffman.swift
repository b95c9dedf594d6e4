/// The Huffman code of RFC 7541, Appendix B.
///
/// It is complete and canonical: codes of equal length are consecutive numbers in the order of their symbols, and each
/// length continues where the shorter one ends. So the lengths define the code.
struct HPACKHuffman: Sendable {
    static let shared = HPACKHuffman()

    /// The symbol that ends a string. No valid string contains it.
    static var endOfString: Int { 256 }

    // A transition: the next state in the low byte, the emitted symbol in the second one, and these marks.
    private static var emits: UInt32 { 0x1_0000 }
    private static var fails: UInt32 { 0x2_0000 }
    /// The bits since the last symbol are valid padding: at most seven, and all ones.
    private static var accepts: UInt32 { 0x4_0000 }

    /// The length of each code in bits.
    let lengths: [UInt8]
    /// The codes, in the low bits.
    let codes: [UInt32]
    /// The transitions of the decoder, sixteen for each state: one for each value of the next four bits.
    ///
    /// A state is an inner node of the code's tree, of which there are 256. As no code is shorter than five bits, a
    /// transition emits at most one symbol.
    private let transitions: [UInt32]

    private init() {
        let lengths = Self.codeLengths
        let codes = Self.canonicalCodes(of: lengths)
        self.lengths = lengths
        self.codes = codes
        self.transitions = Self.transitions(of: codes, lengths)
    }

    /// The room that `decode(_:into:)` needs. No code is shorter than five bits.
    static func decodingRoom(for count: Int) -> Int { count * 2 }

    /// Decodes a string.
    ///
    /// - Parameters:
    ///   - source: The coded string.
    ///   - target: The room for the decoded string.
    /// - Returns: The number of decoded bytes, or `nil` if the code is invalid.
    func decode(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
        guard target.count >= Self.decodingRoom(for: source.count) else { return nil }
        return transitions.withUnsafeBufferPointer { (transitions: UnsafeBufferPointer<UInt32>) -> Int? in
            var count = 0
            var last = Self.accepts
            for octet in source {
                let high = transitions[Int(last & 0xFF) &<< 4 | Int(octet &>> 4)]
                if high & Self.emits != 0 {
                    target[count] = UInt8(truncatingIfNeeded: high &>> 8)
                    count &+= 1
                }
                let low = transitions[Int(high & 0xFF) &<< 4 | Int(octet & 0x0F)]
                if low & Self.emits != 0 {
                    target[count] = UInt8(truncatingIfNeeded: low &>> 8)
                    count &+= 1
                }
                if (high | low) & Self.fails != 0 { return nil }
                last = low
            }
            return last & Self.accepts != 0 ? count : nil
        }
    }

    /// Returns the number of bytes of the coded string, with its padding.
    func codedCount(of text: UnsafeRawBufferPointer) -> Int {
        var bitCount = 0
        for octet in text { bitCount &+= Int(lengths[Int(octet)]) }
        return (bitCount + 7) / 8
    }

    /// Encodes a string. `target` has the size that `codedCount(of:)` returns.
    func encode(_ text: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        // The low bits that are not written yet, at most 37 of them. The bits above them were written.
        var bits: UInt64 = 0
        var bitCount: UInt64 = 0
        var count = 0
        for octet in text {
            let length = UInt64(lengths[Int(octet)])
            bits = (bits &<< length) | UInt64(codes[Int(octet)])
            bitCount &+= length
            while bitCount >= 8 {
                bitCount &-= 8
                target[count] = UInt8(truncatingIfNeeded: bits &>> bitCount)
                count &+= 1
            }
        }
        if bitCount > 0 {
            let padding = UInt64(0xFF) &>> bitCount
            target[count] = UInt8(truncatingIfNeeded: (bits &<< (8 &- bitCount)) | padding)
        }
    }

    private static func canonicalCodes(of lengths: [UInt8]) -> [UInt32] {
        var codes = [UInt32](repeating: 0, count: lengths.count)
        var next: UInt32 = 0
        for length in UInt8(1)...30 {
            next &<<= 1
            for symbol in lengths.indices where lengths[symbol] == length {
                codes[symbol] = next
                next &+= 1
            }
        }
        return codes
    }

    private static func transitions(of codes: [UInt32], _ lengths: [UInt8]) -> [UInt32] {
        let tree = Self.tree(of: codes, lengths)
        var accepting: Set<Int> = [0]
        var padded = 0
        for _ in 1...7 {
            padded = tree[2 * padded + 1]
            accepting.insert(padded)
        }
        var transitions: [UInt32] = []
        transitions.reserveCapacity(tree.count * 8)
        for node in 0..<(tree.count / 2) {
            for bits in 0..<16 {
                var transition: UInt32 = 0
                var next = node
                for shift in [3, 2, 1, 0] {
                    let child = tree[2 * next + ((bits >> shift) & 1)]
                    next = max(0, child)
                    if child >= 0 { continue }
                    let symbol = -child - 1
                    transition |= symbol == endOfString ? fails : emits | (UInt32(symbol) << 8)
                }
                transition |= UInt32(next)
                if accepting.contains(next) { transition |= accepts }
                transitions.append(transition)
            }
        }
        return transitions
    }

    /// Returns the children of each inner node, two for each: the number of a node, or `-1 - symbol` for a leaf.
    private static func tree(of codes: [UInt32], _ lengths: [UInt8]) -> [Int] {
        var tree = [0, 0]
        for symbol in codes.indices {
            var node = 0
            for shift in stride(from: Int(lengths[symbol]) - 1, through: 0, by: -1) {
                let place = 2 * node + Int((codes[symbol] >> UInt32(shift)) & 1)
                if shift == 0 {
                    tree[place] = -1 - symbol
                } else {
                    if tree[place] == 0 {
                        tree[place] = tree.count / 2
                        tree.append(0)
                        tree.append(0)
                    }
                    node = tree[place]
                }
            }
        }
        return tree
    }

    /// The lengths of the codes in bits, sixteen in a row, and that of EOS.
    private static let codeLengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ]
}
