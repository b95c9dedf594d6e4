internal import Apus
internal import ApusTestSupport
internal import Testing

@Suite struct FormNestingTests {
    @Test func acceptsAValueAsDeepAsTheLimit() throws {
        let limit = URLEncodedFormEncoder.nestingLimit
        let form: String = try URLEncodedFormEncoder(keyPathEncoding: .dots).encode(Encoding.nested(limit))
        #expect(form == Array(repeating: "a", count: limit).joined(separator: ".") + "=1")
    }

    @Test func rejectsAValueDeeperThanTheLimit() throws {
        let error = try refusal {
            try URLEncodedFormEncoder().encode(Encoding.nested(URLEncodedFormEncoder.nestingLimit + 1)) as String
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(
            error.detail.hasPrefix("the value at a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a… is nested deeper than 128 levels")
        )
    }

    @Test func rejectsEndlesslyNestedContainers() throws {
        let error = try refusal { try URLEncodedFormEncoder().encode(Encoding.nested(100_000)) as String }
        #expect(error.detail.contains("deeper"))
    }

    @Test(arguments: Ring.Nesting.allCases) func rejectsAValueThatContainsItself(nesting: Ring.Nesting) throws {
        let error = try refusal { try URLEncodedFormEncoder().encode(Ring(nesting)) as String }
        #expect(error.detail.contains("does it contain itself?"))
    }

    @Test func doesNotLimitTheNumberOfValues() throws {
        let form: String = try URLEncodedFormEncoder(arrayEncoding: .noBrackets).encode([
            "a": Array(repeating: 1, count: 50_000)
        ])
        #expect(form.utf8.count == 50_000 * 4 - 1)
    }
}
