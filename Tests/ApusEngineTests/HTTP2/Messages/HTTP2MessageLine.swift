internal import HTTPTypes
internal import NIOCore

@testable internal import ApusEngine

/// A line of a header list, which may break any rule.
struct HTTP2MessageLine: Equatable, Sendable, CustomStringConvertible {
    var name: [UInt8]
    var value: [UInt8]

    init(_ name: String, _ value: String) {
        self.name = Array(name.utf8)
        self.value = Array(value.utf8)
    }

    init(_ line: HPACKHeader) {
        switch line.name {
        case .pseudo(let field): name = Array(field.rawValue.utf8)
        case .field(let field, _): name = Array(field.rawName.utf8)
        case .invalid: name = Array("invalid".utf8)
        }
        if line.isValueValid, let field = line.field {
            // The text has no bytes that are not UTF-8.
            value = field.withUnsafeBytesOfValue { (bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] in Array(bytes) }
        } else {
            value = Array(line.value.utf8)
        }
    }

    var description: String {
        "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))"
    }

    /// The size of the line in a header list.
    var byteCount: Int { name.count + value.count + 32 }

    /// Returns a block of lines that are written byte by byte: without indexing and without Huffman coding.
    static func block(_ lines: [HTTP2MessageLine]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for line in lines {
            buffer.writeInteger(UInt8(0))
            for text in [line.name, line.value] {
                writeLength(text.count, &buffer)
                buffer.writeBytes(text)
            }
        }
        return buffer
    }

    private static func writeLength(_ length: Int, _ buffer: inout ByteBuffer) {
        guard length >= 127 else {
            buffer.writeInteger(UInt8(length))
            return
        }
        buffer.writeInteger(UInt8(127))
        var rest = length - 127
        while rest >= 128 {
            buffer.writeInteger(UInt8(rest % 128 + 128))
            rest /= 128
        }
        buffer.writeInteger(UInt8(rest))
    }
}
