internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct CompoundResponseSerializerTests {
    private enum NumberOrText: Decodable, Equatable, Sendable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            self = .number(try decoder.singleValueContainer().decode(Int.self))
        }
    }

    private struct Text: ResponseSerializer {
        struct Fault: Error {}

        var dataPreprocessor: any DataPreprocessor = .passthrough

        func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> NumberOrText {
            guard data.first == UInt8(ascii: "t") else { throw Fault() }
            return .text(String(decoding: data, as: UTF8.self))
        }
    }

    private func serialize(
        _ body: String,
        by serializers: [any ResponseSerializer<NumberOrText>]
    ) -> Result<NumberOrText, any Error> {
        Result {
            try CompoundResponseSerializer(serializers).serialize(
                request: RequestMessage("http://h/"),
                response: HTTPResponse(status: .ok),
                data: Data(body.utf8)
            )
        }
    }

    @Test func returnsTheFirstSuccessfulValue() throws {
        let both: [any ResponseSerializer<NumberOrText>] = [DecodableResponseSerializer<NumberOrText>(), Text()]
        #expect(try serialize("5", by: both).get() == .number(5))
        #expect(try serialize("text", by: both).get() == .text("text"))
        #expect(try serialize("5", by: both.reversed()).get() == .number(5))
    }

    @Test func preprocessesTheBodyForEachSerializer() throws {
        let guarded = DecodableResponseSerializer<NumberOrText>(dataPreprocessor: .googleXSSI)
        #expect(try serialize(")]}',\n7", by: [Text(), guarded]).get() == .number(7))
        #expect(try serialize("text", by: [guarded, Text()]).get() == .text("text"))
    }

    @Test func reportsTheErrorOfEachSerializer() throws {
        let result = serialize("nothing", by: [DecodableResponseSerializer<NumberOrText>(), Text()])
        let error = #expect(throws: ApusError.self) { try result.get() }
        #expect(error?.code == .serializerFailed)
        #expect(error?.underlying is Text.Fault)
        #expect(error?.detail.contains("it is not a valid NumberOrText: ") == true)
        #expect(error?.detail.hasSuffix("; Fault()") == true)
        let empty = #expect(throws: ApusError.self) { try serialize("5", by: []).get() }
        #expect(empty?.detail == "there is no serializer to try")
    }
}
