internal import Apus
internal import ApusTestServer
internal import Foundation

/// A value to encode as a form. Unlike in a dictionary, members are ordered and names may be canonically equal.
indirect enum FormNode: Encodable, Sendable {
    struct Member: Sendable {
        let name: String
        let node: FormNode
    }

    case null
    case bool(Bool)
    case integer(Int)
    case text(String)
    case data(Data)
    case array([FormNode])
    case object([Member])

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let nodes):
            var container = encoder.unkeyedContainer()
            for node in nodes { try container.encode(node) }
        case .object(let members):
            var container = encoder.container(keyedBy: Key.self)
            for member in members { try container.encode(member.node, forKey: Key(stringValue: member.name)) }
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .text(let value): try value.encode(to: encoder)
        case .data(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    /// Returns an object with up to `count` members, whose names differ in their bytes.
    static func object(of hostile: inout Hostile, count: Int, depth: Int = 0) -> FormNode {
        var names: Set<[UInt8]> = []
        var members: [Member] = []
        for _ in 0..<hostile.number(below: count + 1) {
            let name = hostile.text()
            guard names.insert(Array(name.utf8)).inserted else { continue }
            members.append(Member(name: name, node: node(of: &hostile, depth: depth + 1)))
        }
        return .object(members)
    }

    private static func node(of hostile: inout Hostile, depth: Int) -> FormNode {
        switch hostile.number(below: depth < 4 ? 12 : 9) {
        case 0: .null
        case 1: .bool(hostile.isOne(of: 2))
        case 2: .integer(Int(truncatingIfNeeded: hostile.numbers.next()))
        case 3: .data(hostile.bytes(hostile.number(below: 20)))
        case 9: object(of: &hostile, count: 3, depth: depth)
        case 10, 11: .array((0..<hostile.number(below: 4)).map { _ in node(of: &hostile, depth: depth + 1) })
        default: .text(hostile.text())
        }
    }
}

/// One form field as a reader should find it. Without a value it is a name without an equals sign.
struct FormPair: Equatable, Sendable {
    let name: String
    let value: String?
}
