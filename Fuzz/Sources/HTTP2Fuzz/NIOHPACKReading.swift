internal import NIOCore
internal import NIOHPACK

/// SwiftNIO's decoder. It reads header blocks one after another, and keeps the lines and the error of the last one.
struct NIOHPACKReading {
    private var decoder = HPACKDecoder(
        allocator: ByteBufferAllocator(),
        maxDynamicTableSize: 4_096,
        maxHeaderListSize: 1 << 24
    )
    private(set) var lines: [(name: String, value: String)] = []
    /// The name of the error, or `nil`.
    private(set) var failure: String?

    /// Whether the last block has bytes that are not UTF-8, or a replacement for such.
    var hasRepairedText: Bool {
        lines.contains { (line: (name: String, value: String)) -> Bool in
            Self.isRepaired(line.name) || Self.isRepaired(line.value)
        }
    }

    static func isRepaired(_ text: String) -> Bool {
        text.unicodeScalars.contains { (scalar: Unicode.Scalar) -> Bool in scalar.value == 0xFFFD }
    }

    mutating func read(_ block: [UInt8]) {
        var buffer = ByteBuffer(bytes: block)
        do {
            lines = try decoder.decodeHeaders(from: &buffer).map { ($0.name, $0.value) }
            failure = nil
        } catch {
            lines = []
            failure = "\(type(of: error))"
        }
    }
}

/// SwiftNIO's encoder.
struct NIOHPACKWriting {
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())

    /// Returns a block, or `nil` if the encoder throws an error.
    mutating func block(_ lines: [(String, String)]) -> [UInt8]? {
        var buffer = ByteBuffer()
        do {
            try encoder.encode(headers: HPACKHeaders(lines), to: &buffer)
        } catch {
            return nil
        }
        return Array(buffer.readableBytesView)
    }
}
