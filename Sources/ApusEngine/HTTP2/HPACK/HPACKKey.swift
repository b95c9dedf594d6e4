/// The hashes by which the encoder finds a line in the tables. Lines with equal hashes may differ.
struct HPACKKey: Sendable {
    /// The hash of the name.
    let name: UInt64
    /// The hash of the name and the value.
    let line: UInt64

    init(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let nameHash = Self.hash(of: name, seed: 0)
        self.name = nameHash
        self.line = Self.hash(of: value, seed: nameHash)
    }

    static func hash(of octets: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = octets.count
        var hash = mixed(seed, UInt64(truncatingIfNeeded: count))
        var index = 0
        while index &+ 8 <= count {
            hash = mixed(hash, octets.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index &+= 8
        }
        guard index < count else { return hash }
        var rest: UInt64 = 0
        while index < count {
            rest = (rest &<< 8) | UInt64(octets[index])
            index &+= 1
        }
        return mixed(hash, rest)
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ (product &>> 29)
    }
}

/// The entry of a table that has the name of a line, and perhaps its value.
struct HPACKMatch: Sendable, Equatable {
    /// The index as in a block: from 1 to 61 in the static table, from 62 in the dynamic one.
    let index: Int
    let hasValue: Bool
}
