internal import Apus
internal import Foundation
internal import Testing

@Suite struct JSONNestingTests {
    private let limit = JSONContentEncoder.nestingLimit

    @Test(arguments: [false, true]) func takesAValueAsDeepAsTheLimit(prettyPrinted: Bool) throws {
        try expectFoundationsText(Encoding.nested(limit), by: JSONContentEncoder(prettyPrinted: prettyPrinted))
    }

    @Test func refusesAValueThatIsOneDeeper() throws {
        let refused = try Refused { _ = try JSONContentEncoder().encode(Encoding.nested(limit + 1)) }
        #expect(refused.path == Array(repeating: "a", count: limit))
        #expect(refused.reason == "it is nested deeper than 128 levels; does it contain itself?")
    }

    @Test func refusesContainersThatGoOnWithoutEnd() throws {
        let refused = try Refused { _ = try JSONContentEncoder().encode(Encoding.nested(100_000)) }
        #expect(refused.reason.contains("deeper"))
    }

    @Test(arguments: Ring.Way.allCases) func refusesAValueThatContainsItself(way: Ring.Way) throws {
        let refused = try Refused { _ = try JSONContentEncoder().encode(Ring(way)) }
        #expect(refused.reason.contains("does it contain itself?"))
    }

    @Test func namesThePlaceOfWhatIsTooDeepInARequest() throws {
        let request = try RequestMessage("http://h/", method: .post)
        let error = try refusal { try JSONParameterEncoder.default.encode(Encoding.nested(limit + 1), into: request) }
        #expect(error.detail.hasPrefix("the value at a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a… can't be encoded: it is nested"))
    }
}
