internal import Apus
internal import ApusTestSupport
internal import Foundation
internal import Testing

@Suite struct JSONNestingTests {
    private let limit = JSONContentEncoder.nestingLimit

    @Test(arguments: [false, true]) func acceptsAValueAsDeepAsTheLimit(prettyPrinted: Bool) throws {
        try expectFoundationsText(Encoding.nested(limit), by: JSONContentEncoder(prettyPrinted: prettyPrinted))
    }

    @Test func rejectsAValueDeeperThanTheLimit() throws {
        let refused = try Refused { _ = try JSONContentEncoder().encode(Encoding.nested(limit + 1)) }
        #expect(refused.path == Array(repeating: "a", count: limit))
        #expect(refused.reason == "it is nested deeper than 128 levels; does it contain itself?")
    }

    @Test func rejectsEndlesslyNestedContainers() throws {
        let refused = try Refused { _ = try JSONContentEncoder().encode(Encoding.nested(100_000)) }
        #expect(refused.reason.contains("deeper"))
    }

    @Test(arguments: Ring.Nesting.allCases) func rejectsAValueThatContainsItself(nesting: Ring.Nesting) throws {
        let refused = try Refused { _ = try JSONContentEncoder().encode(Ring(nesting)) }
        #expect(refused.reason.contains("does it contain itself?"))
    }

    @Test func namesThePathOfATooDeepValueInARequest() throws {
        let request = try RequestMessage("http://h/", method: .post)
        let error = #expect(throws: ApusError.self) {
            try JSONParameterEncoder.default.encode(Encoding.nested(limit + 1), into: request)
        }
        #expect(
            try #require(error).detail.hasPrefix(
                "the value at a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a… can't be encoded: it is nested"
            )
        )
    }
}
