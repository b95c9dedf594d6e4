/// A value with itself in it.
final class Ring: Encodable {
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

extension Encoding {
    /// Nested `depth` containers deep.
    static func nested(_ depth: Int) -> Encoding {
        Encoding { encoder in
            var containers = [encoder.container(keyedBy: AnyKey.self)]
            for _ in 1..<depth {
                var last = containers[containers.count - 1]
                containers.append(last.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("a")))
            }
            try containers[containers.count - 1].encode(1, forKey: AnyKey("a"))
        }
    }
}
