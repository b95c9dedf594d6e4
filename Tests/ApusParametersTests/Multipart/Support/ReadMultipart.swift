internal import Foundation

/// A multipart body, parsed as strictly as RFC 2046 §5.1.1 allows and independently of the writer.
struct ReadMultipart {
    struct Part: Equatable {
        var fields: [Data]
        var content: Data
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    let parts: [Part]

    init(_ data: Data, boundary: String) throws {
        var rest = Array(data)[...]
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var parts: [Part] = []
        guard Self.skip(delimiter.dropFirst(2), in: &rest) else { throw Malformed(description: "no first delimiter") }
        while !Self.skip(Array("--\r\n".utf8)[...], in: &rest) {
            guard Self.skip(Array("\r\n".utf8)[...], in: &rest) else {
                throw Malformed(description: "a delimiter goes on: \(String(decoding: rest.prefix(60), as: UTF8.self))")
            }
            var fields: [Data] = []
            while !Self.skip(Array("\r\n".utf8)[...], in: &rest) {
                let line = try Self.take(to: Array("\r\n".utf8), in: &rest)
                guard !line.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
                    throw Malformed(description: "a field with half of a line break")
                }
                fields.append(Data(line))
            }
            parts.append(Part(fields: fields, content: Data(try Self.take(to: delimiter, in: &rest))))
        }
        guard rest.isEmpty else { throw Malformed(description: "\(rest.count) bytes behind the end") }
        self.parts = parts
    }

    private static func skip(_ prefix: ArraySlice<UInt8>, in rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: prefix) else { return false }
        rest = rest.dropFirst(prefix.count)
        return true
    }

    /// Returns the bytes before the first `mark`, and skips the mark.
    private static func take(to mark: [UInt8], in rest: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        let end = rest.indices.first { rest[$0] == mark[0] && rest[$0...].starts(with: mark) }
        guard let end else { throw Malformed(description: "no end") }
        defer { rest = rest[(end + mark.count)...] }
        return rest[..<end]
    }
}
