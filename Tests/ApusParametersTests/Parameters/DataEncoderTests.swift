internal import Apus
internal import Foundation
internal import Testing

@Suite struct DataEncoderTests {
    /// A custom encoder.
    private struct Described: DataEncoder {
        func encode<Value: Encodable>(_ value: Value) throws -> Data { Data("\(value)".utf8) }
    }

    @Test func encodesByAnyEncoder() throws {
        let encoders: [(any DataEncoder, String)] = [
            (JSONContentEncoder(), "[1,2]"), (JSONEncoder(), "[1,2]"), (Described(), "[1, 2]"),
        ]
        for (encoder, text) in encoders {
            #expect(try String(decoding: encoder.encode([1, 2]), as: UTF8.self) == text)
        }
        let list: any DataEncoder = PropertyListEncoder()
        #expect(try PropertyListDecoder().decode([Int].self, from: list.encode([1, 2])) == [1, 2])
    }

    @Test func encodesTheBodyOfARequest() throws {
        let request = try RequestMessage("http://h/", method: .post)
        #expect(try JSONParameterEncoder(encoder: Described()).encode([1, 2], into: request).sentString == "[1, 2]")
    }
}
