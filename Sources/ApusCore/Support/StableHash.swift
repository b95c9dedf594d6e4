/// A hash that is the same in each process, unlike that of `Hasher`. It detects damage, but no forgery.
package enum StableHash {
    /// Returns the 64-bit FNV-1a hash. Two sequences that differ in one byte never have the same hash.
    package static func fnv1a(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
