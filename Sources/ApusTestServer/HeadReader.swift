internal import NIOCore

/// Finds the end of a head that arrives in pieces, without scanning bytes repeatedly.
struct HeadReader {
    enum Result {
        case needsMore
        case head([UInt8])
        case tooLarge
    }

    private var scanned = 0

    mutating func next(_ buffer: inout ByteBuffer) -> Result {
        let start = max(0, scanned - 3)
        let end = buffer.withUnsafeReadableBytes { bytes -> Int? in
            var index = start
            while index + 3 < bytes.count {
                // The last of four bytes determines how far the window can move.
                switch bytes[index + 3] {
                case 0x0A:
                    if bytes[index + 2] == 0x0D && bytes[index + 1] == 0x0A && bytes[index] == 0x0D { return index + 4 }
                    index += 2
                case 0x0D: index += 1
                default: index += 4
                }
            }
            return nil
        }
        if let end, end <= RequestHead.limit, let head = buffer.readBytes(length: end) {
            scanned = 0
            return .head(head)
        }
        scanned = buffer.readableBytes
        return scanned > RequestHead.limit ? .tooLarge : .needsMore
    }
}
