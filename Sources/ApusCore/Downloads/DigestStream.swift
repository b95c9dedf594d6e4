internal import Crypto

/// Computes the digest of bytes that arrive piece by piece.
package struct DigestStream: Sendable {
    /// The algorithm that it was created with.
    package let algorithm: ContentDigest.Algorithm
    // One of both. An enum would copy the state with every update.
    private var sha256: SHA256?
    private var sha512: SHA512?

    package init(_ algorithm: ContentDigest.Algorithm) {
        self.algorithm = algorithm
        switch algorithm {
        case .sha256: self.sha256 = SHA256()
        case .sha512: self.sha512 = SHA512()
        }
    }

    /// Adds bytes at the end.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256?.update(bufferPointer: bytes)
        sha512?.update(bufferPointer: bytes)
    }

    /// Adds the bytes of a chunk at the end.
    package mutating func update(_ chunk: BodyChunk) {
        chunk.withUnsafeBytes { update($0) }
    }

    /// Returns the digest of all bytes so far.
    package func finish() -> [UInt8] {
        if let sha256 { return Array(sha256.finalize()) }
        if let sha512 { return Array(sha512.finalize()) }
        return []
    }
}
