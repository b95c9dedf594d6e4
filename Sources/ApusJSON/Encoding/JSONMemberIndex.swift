/// Finds the member of an object by its key.
///
/// One hash table serves all objects of a tree. Its slots hold node numbers, and a search starts at the hash of
/// container and key.
struct JSONMemberIndex {
    private static let seed = UInt64.random(in: .min ... .max)

    /// The root is never a member and marks empty slots. The number of slots is a power of two.
    private var slots = [Int](repeating: EncodingBuffer.root, count: 256)
    private var count = 0

    /// Returns the member with the container and key of `node`. If there is none, adds `node` and returns `nil`.
    mutating func find(_ node: Int, in tree: EncodingBuffer) -> Int? {
        guard case .key(let key) = tree.nodes[node].name else { return nil }
        let slot = self.slot(of: node, key, in: tree)
        guard slots[slot] == EncodingBuffer.root else { return slots[slot] }
        slots[slot] = node
        count += 1
        return nil
    }

    /// Sets `node` as the member with its container and key.
    ///
    /// - Returns: The previous member, or `nil` if there was none.
    mutating func exchange(_ node: Int, in tree: EncodingBuffer) -> Int? {
        guard case .key(let key) = tree.nodes[node].name else { return nil }
        let slot = self.slot(of: node, key, in: tree)
        defer { slots[slot] = node }
        guard slots[slot] == EncodingBuffer.root else { return slots[slot] }
        count += 1
        return nil
    }

    private mutating func slot(of node: Int, _ key: Range<Int>, in tree: EncodingBuffer) -> Int {
        if 2 * count >= slots.count { grow(tree) }
        return slot(of: key, in: tree.nodes[node].parent, tree)
    }

    private mutating func grow(_ tree: EncodingBuffer) {
        let members = slots.filter { $0 != EncodingBuffer.root }
        slots = [Int](repeating: EncodingBuffer.root, count: 2 * slots.count)
        count = 0
        for member in members { _ = find(member, in: tree) }
    }

    /// Returns the slot of the member with a key, or the empty slot for it.
    private func slot(of key: Range<Int>, in parent: Int, _ tree: EncodingBuffer) -> Int {
        var slot = tree.text.withUnsafeBytes { Self.hash($0[key], parent) } & (slots.count - 1)
        while slots[slot] != EncodingBuffer.root, !tree.hasKey(key, in: parent, at: slots[slot]) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private static func hash(_ key: Slice<UnsafeRawBufferPointer>, _ parent: Int) -> Int {
        let key = UnsafeRawBufferPointer(rebasing: key)
        var hash = mix(seed, UInt64(truncatingIfNeeded: parent))
        var offset = 0
        while offset + 8 <= key.count {
            hash = mix(hash, key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest = UInt64(truncatingIfNeeded: key.count)
        for byte in key[offset...] { rest = rest << 8 | UInt64(byte) }
        return Int(truncatingIfNeeded: mix(hash, rest))
    }

    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let (high, low) = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }
}
