internal import ApusCore

/// The hash functions that the schemes ask for.
///
/// They are here, and not a library's, because the schemes need them and nothing else of one, and because SHA-512/256 has
/// initial values of its own, which the libraries do not offer. The server of the tour reckons with them too.
package enum HashFunction: Sendable, Hashable {
    /// RFC 1321. Broken, and still what most servers with Digest ask for.
    case md5
    /// FIPS 180-4 §6.2.
    case sha256
    /// FIPS 180-4 §6.4.
    case sha512
    /// FIPS 180-4 §6.7: not SHA-512 cut in half, but with other initial values.
    case sha512to256

    /// The hash of bytes.
    func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var stream = HashStream(self)
        stream.update(bytes)
        return stream.finalize()
    }

    /// The hash of the UTF-8 of a string, in small hexadecimal digits.
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

/// The part of a hash function that differs from one to the next: what becomes of its state with each block.
protocol HashCompression {
    /// The length of a block, in bytes.
    static var blockBytes: Int { get }
    /// How many bytes of a last block say the length of the whole.
    static var lengthBytes: Int { get }
    /// Whether that length is written with its last byte first.
    static var isLittleEndian: Bool { get }

    /// Takes in blocks, whole ones.
    mutating func compress(_ blocks: UnsafeRawBufferPointer)

    /// The hash, once all blocks were taken in.
    var digest: [UInt8] { get }
}

/// Hashes bytes as they come.
struct HashStream {
    private var compression: any HashCompression
    private let blockBytes: Int
    /// What came and is no whole block yet.
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

    /// The hash of everything.
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
    /// Two small hexadecimal digits for each byte.
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
