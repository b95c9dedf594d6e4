internal import Apus
internal import Testing

/// A value with itself in it.
private final class Ring: Encodable {
    enum Way: CaseIterable {
        case property, optional, array, dictionary, single, superEncoder, nestedKeyed, nestedUnkeyed, swallowing
    }

    private let way: Way

    init(_ way: Way) { self.way = way }

    func encode(to encoder: any Encoder) throws {
        let key = AnyKey("n")
        if way == .single {
            var single = encoder.singleValueContainer()
            return try single.encode(self)
        }
        var keyed = encoder.container(keyedBy: AnyKey.self)
        switch way {
        case .property: try keyed.encode(self, forKey: key)
        case .optional: try keyed.encodeIfPresent(self, forKey: key)
        case .array: try keyed.encode([self], forKey: key)
        case .dictionary: try keyed.encode(["m": self], forKey: key)
        case .superEncoder:
            var single = keyed.superEncoder().singleValueContainer()
            try single.encode(self)
        case .nestedKeyed:
            var nested = keyed.nestedContainer(keyedBy: AnyKey.self, forKey: key)
            try nested.encode(self, forKey: key)
        case .nestedUnkeyed:
            var nested = keyed.nestedUnkeyedContainer(forKey: key)
            try nested.encode(self)
        case .swallowing:
            try? keyed.encode(self, forKey: key)
            try? keyed.encode(self, forKey: AnyKey("m"))
        case .single: return
        }
    }
}

@Suite struct FormNestingTests {
    /// Nested `depth` containers deep.
    private func nested(_ depth: Int) -> Encoding {
        Encoding { encoder in
            var containers = [encoder.container(keyedBy: AnyKey.self)]
            for _ in 1..<depth {
                var last = containers[containers.count - 1]
                containers.append(last.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("a")))
            }
            try containers[containers.count - 1].encode(1, forKey: AnyKey("a"))
        }
    }

    @Test func takesAValueAsDeepAsTheLimit() throws {
        let limit = URLEncodedFormEncoder.nestingLimit
        let form: String = try URLEncodedFormEncoder(keyPathEncoding: .dots).encode(nested(limit))
        #expect(form == Array(repeating: "a", count: limit).joined(separator: ".") + "=1")
    }

    @Test func refusesAValueThatIsOneDeeper() throws {
        let error = try refusal {
            try URLEncodedFormEncoder().encode(nested(URLEncodedFormEncoder.nestingLimit + 1)) as String
        }
        #expect(error.code == .parameterEncodingFailed)
        #expect(
            error.detail.hasPrefix("the value at a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a… is nested deeper than 128 values")
        )
    }

    @Test func refusesContainersThatGoOnWithoutEnd() throws {
        #expect(try refusal { try URLEncodedFormEncoder().encode(nested(100_000)) as String }.detail.contains("deeper"))
    }

    @Test(arguments: Ring.Way.allCases) fileprivate func refusesAValueThatContainsItself(way: Ring.Way) throws {
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
