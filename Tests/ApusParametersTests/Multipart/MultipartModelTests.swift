internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusParameters

/// Compares random forms with the parts that a strict reader finds in them.
@Suite(.timeLimit(.minutes(2))) struct MultipartModelTests {
    private let scratch: TemporaryFolder

    init() throws {
        scratch = try TemporaryFolder()
    }

    private static let boundaries = [
        nil, "b", "--", "a b", "'()+_,-./:=?", String(repeating: "-", count: 70), nil, nil,
    ]

    /// Parity: AF-fault-multipart-names
    @Test(arguments: 0..<150 as Range<UInt64>) func roundTripsThroughAStrictReader(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var form = MultipartFormData(using: &generator)
        if let boundary = Self.boundaries[Int(seed) % Self.boundaries.count] {
            form = try MultipartFormData(boundary: boundary)
        }
        var wanted: [ReadMultipart.Part] = []
        for number in 0..<Int.random(in: 0...6, using: &generator) {
            wanted.append(try append(number, to: &form, &generator))
        }
        let read: Data
        do {
            read = try await form.encode()
        } catch {
            // The only possible error is that a part contains a boundary that is not random.
            #expect(!form.mark.isRandom && error.detail.contains("begins with the boundary"))
            return
        }
        #expect(form.contentLength == nil || form.contentLength == Int64(read.count))
        #expect(try ReadMultipart(read, boundary: form.boundary).parts == wanted)
        for threshold in [0, .max] {
            let body = try form.makeBody(encodingMemoryThreshold: threshold)
            #expect(body.length == form.contentLength)
            #expect(try await body.read == read)
        }
        let target = scratch.url("target-\(seed)")
        try await form.writeEncodedData(to: target)
        #expect(try Data(contentsOf: target) == read)
    }

    /// Appends a part of a random kind, and returns the part that the reader must find.
    private func append(
        _ number: Int,
        to form: inout MultipartFormData,
        _ generator: inout SeededGenerator
    ) throws -> ReadMultipart.Part {
        let name = text(form.boundary, &generator)
        let fileName = Bool.random(using: &generator) ? text(form.boundary, &generator) : nil
        let type = Bool.random(using: &generator) ? "text/x; a=\"\(number)\"" : nil
        let content = content(form.boundary, &generator)
        let length = Bool.random(using: &generator) ? Int64(content.count) : nil
        let pieces = pieces(of: content, &generator)
        let stream = { @Sendable in
            AsyncStream<BodyChunk> { stream in
                for piece in pieces { stream.yield(BodyChunk(piece)) }
                stream.finish()
            }
        }
        // Files and streams are not searched for the boundary, so only a random one is safe.
        let kind = Int.random(in: 0...(form.mark.isRandom ? 5 : 2), using: &generator)
        switch kind {
        case 0:
            form.append(content, withName: name, fileName: fileName)
            return part(name, fileName, nil, content)
        case 1:
            try form.append(content, withName: name, fileName: fileName, mimeType: type)
        case 2:
            let field = try #require(HTTPField.Name("X-\(number)"))
            try form.append(.bytes(content), fields: [field: "value", .contentType: "a/b"])
            let fields = [Data("X-\(number): value".utf8), Data("Content-Type: a/b".utf8)]
            return ReadMultipart.Part(fields: fields, content: content)
        case 3:
            let url = try scratch.write(content, to: "\(form.boundary)-\(number)")
            try form.append(url, withName: name, fileName: fileName, mimeType: type)
            return part(name, fileName ?? url.lastPathComponent, type ?? MediaTypes.unknown, content)
        case 4:
            try form.append(withLength: length, name: name, fileName: fileName, mimeType: type, stream)
        default:
            try form.append(.replayable(length: length, stream), withName: name, fileName: fileName, mimeType: type)
        }
        return part(name, fileName, type, content)
    }

    private func part(_ name: String, _ fileName: String?, _ type: String?, _ content: Data) -> ReadMultipart.Part {
        var disposition = "Content-Disposition: form-data; name=\"\(Self.browsers(name, isName: true))\""
        if let fileName { disposition += "; filename=\"\(Self.browsers(fileName, isName: false))\"" }
        let fields = [disposition] + (type.map { ["Content-Type: \($0)"] } ?? [])
        return ReadMultipart.Part(fields: fields.map { Data($0.utf8) }, content: content)
    }

    /// Escapes a name by the algorithm of the standard, on bytes.
    private static func browsers(_ name: String, isName: Bool) -> String {
        var bytes = Array(name.utf8)
        if isName {
            var whole: [UInt8] = []
            for (index, byte) in bytes.enumerated() {
                // A lone CR or LF becomes CRLF.
                if byte == 0x0A, index == 0 || bytes[index - 1] != 0x0D { whole.append(0x0D) }
                whole.append(byte)
                if byte == 0x0D, index + 1 == bytes.count || bytes[index + 1] != 0x0A { whole.append(0x0A) }
            }
            bytes = whole
        }
        let escaped = bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x0A: Array("%0A".utf8)
            case 0x0D: Array("%0D".utf8)
            case 0x22: Array("%22".utf8)
            default: [byte]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private func text(_ boundary: String, _ generator: inout SeededGenerator) -> String {
        let words = [
            "", "a", "name", "\"", "\r", "\n", "\r\n", ";", "=", "\\", "%22", "ü", "🐦", "\u{0}", "\u{7F}", " ", "--",
            "--\(boundary)", "\r\n--\(boundary)--\r\n", "Content-Type: x", "\r\n\r\n",
        ]
        return (0..<Int.random(in: 0...4, using: &generator)).map { _ in words.randomElement(using: &generator) ?? "" }
            .joined()
    }

    private func content(_ boundary: String, _ generator: inout SeededGenerator) -> Data {
        let words: [[UInt8]] = [
            [], [0x0D], [0x0A], [0x0D, 0x0A], Array("-".utf8), Array("--".utf8), Array("--\(boundary.dropLast())".utf8),
            Array("\r\n--\(boundary.dropLast())\r\n".utf8), Array(" --\(boundary)".utf8), Array("x\(boundary)--".utf8),
            Array("\r\n\(boundary)\r\n".utf8), Array("\r\n-".utf8), [0, 0xFF, 0x80], Array("text".utf8),
            Array("\r\n--apus.boundary.0123456789abcdef0123456789abcdef--\r\n".utf8),
        ]
        let count = Int.random(in: 0...6, using: &generator)
        let content = Data((0..<count).flatMap { _ in words.randomElement(using: &generator) ?? [] })
        // Sometimes longer than a chunk.
        guard Int.random(in: 0..<20, using: &generator) == 0 else { return content }
        return content + Data(count: 300_000) + content
    }

    private func pieces(of data: Data, _ generator: inout SeededGenerator) -> [Data] {
        var pieces: [Data] = []
        var rest = data[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...100_000, using: &generator))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
