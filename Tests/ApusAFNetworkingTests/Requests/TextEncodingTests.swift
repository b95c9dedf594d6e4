internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusAFNetworking

@Suite struct TextEncodingTests {
    @Test func hasANameForEachEncodingButUTF8() throws {
        #expect(try TextEncoding(.utf8).parameter == "")
        #expect(try TextEncoding(.isoLatin1).parameter == "; charset=iso-8859-1")
        #expect(try TextEncoding(.utf16).parameter == "; charset=utf-16")
        #expect(Set(TextEncoding.labels.values).count == TextEncoding.labels.count)
    }

    @Test func encodesTexts() throws {
        #expect(try TextEncoding(.utf8).data("é€", of: "it") == Data("é€".utf8))
        #expect(try TextEncoding(.isoLatin1).data("é", of: "it") == Data([0xE9]))
        #expect(try TextEncoding(.utf16BigEndian).data("é", of: "it") == Data([0, 0xE9]))
    }

    @Test func describesTheTextThatItCannotEncode() async throws {
        let error = try await refusal { try TextEncoding(.isoLatin1).data("€", of: "the price") }
        #expect(error.code == .parameterEncodingFailed)
        #expect(error.detail.hasPrefix("the price "))
        #expect(error.detail.contains("iso-8859-1"))
        #expect(!error.detail.contains("€"))
    }
}
