import NIOCore

/// Splits the bytes of an HTTP/1.1 client into heads of requests that have no body.
struct HTTP1HeadReader {
    private static let emptyLine = Array("\r\n\r\n".utf8)

    private var bytes: [UInt8] = []

    mutating func append(_ buffer: ByteBuffer) {
        bytes.append(contentsOf: buffer.readableBytesView)
    }

    /// Takes the lines of the next head. Returns `nil` if more bytes are needed.
    mutating func next() -> [String]? {
        let found = bytes.indices.first { index in bytes[index...].starts(with: Self.emptyLine) }
        guard let end = found else { return nil }
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        bytes.removeFirst(end + Self.emptyLine.count)
        return text.split(separator: "\r\n").map { String($0) }
    }
}
