internal import Apus
internal import Testing

@Suite struct FormNestingTests {
    @Test func takesAValueAsDeepAsTheLimit() throws {
        let limit = URLEncodedFormEncoder.nestingLimit
        let form: String = try URLEncodedFormEncoder(keyPathEncoding: .dots).encode(Encoding.nested(limit))
        #expect(form == Array(repeating: "a", count: limit).joined(separator: ".") + "=1")
    }

    @Test func refusesAValueThatIsOneDeeper() throws {
        let error = try refusal {
            try URLEncodedFormEncoder().encode(Encoding.nested(URLEncodedFormEncoder.nestingLimit + 1)) as String
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(
            error.detail.hasPrefix("the value at a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a… is nested deeper than 128 values")
        )
    }

    @Test func refusesContainersThatGoOnWithoutEnd() throws {
        let error = try refusal { try URLEncodedFormEncoder().encode(Encoding.nested(100_000)) as String }
        #expect(error.detail.contains("deeper"))
    }

    @Test(arguments: Ring.Way.allCases) func refusesAValueThatContainsItself(way: Ring.Way) throws {
        let error = try refusal { try URLEncodedFormEncoder().encode(Ring(way)) as String }
        #expect(error.detail.contains("does it contain itself?"))
    }

    @Test func takesAsManyValuesBesideEachOtherAsThereAre() throws {
        let form: String = try URLEncodedFormEncoder(arrayEncoding: .noBrackets).encode([
            "a": Array(repeating: 1, count: 50_000)
        ])
        #expect(form.utf8.count == 50_000 * 4 - 1)
    }
}
