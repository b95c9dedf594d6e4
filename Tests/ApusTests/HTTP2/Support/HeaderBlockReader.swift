import HTTPTypes
import NIOCore

@testable import ApusEngine

/// Decodes the header blocks of a client. The decoder has tests of its own.
struct HeaderBlockReader {
    private var decoder = HPACKDecoder()

    mutating func lines(of block: [UInt8]) throws(ClientFault) -> [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        do throws(HPACKError) {
            try decoder.decode(ByteBuffer(bytes: block)) { (line: HPACKHeader) -> Bool in
                lines.append((name: Self.name(of: line), value: line.value))
                return true
            }
        } catch {
            throw ClientFault("a header block is invalid: \(error)")
        }
        return lines
    }

    private static func name(of line: HPACKHeader) -> String {
        switch line.name {
        case .pseudo(let field): field.rawValue
        case .field(let name, _): name.canonicalName
        case .invalid: ""
        }
    }
}
