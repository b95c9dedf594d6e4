internal import ApusCore

/// The hash functions that the authentication schemes use.
///
/// They are implemented here because nothing else of a library is needed, and because common libraries do not offer the
/// initial values of SHA-512/256. The server of the tour uses them too.
package enum HashFunction: Sendable, Hashable {
    /// RFC 1321. Insecure, but most servers with Digest still use it.
    case md5
    /// FIPS 180-4 §6.2.
    case sha256
    /// FIPS 180-4 §6.4.
    case sha512
    /// FIPS 180-4 §6.7: truncated SHA-512 with other initial values.
    case sha512to256

    /// Returns the hash of the bytes.
    func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var stream = HashStream(self)
        stream.update(bytes)
        return stream.finalize()
    }

    /// Returns the hash of the UTF-8 bytes of a string, in lowercase hexadecimal digits.
    package func hexadecimal(_ string: String) -> String { hash(string.utf8).hexadecimal }

    fileprivate var compression: any HashCompression {
        switch self {
        case .md5: MD5()
        case .sha256: SHA256()
        case .sha512: SHA512()
        case .sha512to256: SHA512.truncatedTo256()
        }
    }
}

/// The part that differs between hash functions: how each block changes the state.
protocol HashCompression {
    /// The length of a block, in bytes.
    static var blockBytes: Int { get }
    /// The number of bytes at the end of the last block that hold the total length.
    static var lengthBytes: Int { get }
    /// Whether that length is little-endian.
    static var isLittleEndian: Bool { get }

    /// Processes complete blocks.
    mutating func compress(_ blocks: UnsafeRawBufferPointer)

    /// The hash, after all blocks were processed.
    var digest: [UInt8] { get }
}

/// Hashes bytes incrementally.
struct HashStream {
    private var compression: any HashCompression
    private let blockBytes: Int
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    init(_ function: HashFunction) {
        let compression = function.compression
        self.compression = compression
        self.blockBytes = type(of: compression).blockBytes
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }

    mutating func update(_ chunk: BodyChunk) {
        chunk.withUnsafeBytes { update($0) }
    }

    private mutating func update(_ bytes: UnsafeRawBufferPointer) {
        byteCount &+= UInt64(bytes.count)
        var unread = bytes[...]
        if !rest.isEmpty {
            let missing = unread.prefix(blockBytes - rest.count)
            rest += missing
            unread = unread.dropFirst(missing.count)
            guard rest.count == blockBytes else { return }
            rest.withUnsafeBytes { compression.compress($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = unread.count / blockBytes * blockBytes
        if whole > 0 { compression.compress(UnsafeRawBufferPointer(rebasing: unread.prefix(whole))) }
        rest += unread.dropFirst(whole)
    }

    /// Returns the hash of all bytes.
    consuming func finalize() -> [UInt8] {
        let kind = type(of: compression)
        let bitCount = byteCount &* 8
        var end: [UInt8] = [0x80]
        let used = (rest.count + 1 + kind.lengthBytes) % blockBytes
        end += [UInt8](repeating: 0, count: used == 0 ? 0 : blockBytes - used)
        end += [UInt8](repeating: 0, count: kind.lengthBytes - 8)
        for index in 0..<8 {
            let shift = 8 * UInt64(kind.isLittleEndian ? index : 7 - index)
            end.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        end.withUnsafeBytes { update($0) }
        return compression.digest
    }
}

extension Sequence<UInt8> {
    /// The bytes in lowercase hexadecimal, two digits each.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
