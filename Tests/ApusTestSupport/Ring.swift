/// A value that contains itself.
package final class Ring: Encodable {
    package enum Nesting: CaseIterable {
        case property, optional, array, dictionary, single, superEncoder, nestedKeyed, nestedUnkeyed, swallowing
    }

    private let nesting: Nesting

    package init(_ nesting: Nesting) { self.nesting = nesting }

    package func encode(to encoder: any Encoder) throws {
        let key = AnyKey("n")
        if nesting == .single {
            var single = encoder.singleValueContainer()
            return try single.encode(self)
        }
        var keyed = encoder.container(keyedBy: AnyKey.self)
        switch nesting {
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
    /// Returns a value of `depth` nested containers.
    package static func nested(_ depth: Int) -> Encoding {
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
