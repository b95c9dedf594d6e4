internal import Apus
internal import ApusJSON
internal import ApusTestServer
internal import ApusTestSupport
internal import Foundation

/// A value that encodes itself in one of many ways.
indirect enum JSONSample: Encodable {
    struct Record: Encodable {
        enum Event: Encodable {
            case nothing
            case one(Int)
            case many(first: String, second: [Double]?)
        }

        enum Kind: String, Encodable, CaseIterable {
            case plain, withSlash = "a/b"
        }

        let aFlag: Bool
        let someURLText: String?
        let kind: Kind
        let event: Event
        let optionals: [Int?]
        let byNumber: [Int: UInt8]
        let byText: [String: Float]
        let id: UUID
        let child: [JSONSample]
    }

    case null, bool(Bool), text(String), double(Double), float(Float), integer(any FixedWidthInteger & Encodable)
    case date(Date), data(Data), url(URL), decimal(Decimal)
    case texts([String]), integers([Int]), doubles([Double]), bytes([UInt8])
    case array([JSONSample]), dictionary([String: JSONSample]), optional(JSONSample?), record(Record)
    /// Members in a container.
    case members([(key: String, value: JSONSample)])
    /// Members in containers nested in one another, in an array and in an object.
    case nested([(key: String, value: JSONSample)])
    /// Two superclasses, and one of an element.
    case inheriting(JSONSample, JSONSample)

    func encode(to encoder: any Encoder) throws {
        func encode(_ value: some Encodable) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try encode(value)
        case .text(let value): try encode(value)
        case .double(let value): try encode(value)
        case .float(let value): try encode(value)
        case .integer(let value): try encode(value)
        case .date(let value): try encode(value)
        case .data(let value): try encode(value)
        case .url(let value): try encode(value)
        case .decimal(let value): try encode(value)
        case .texts(let value): try encode(value)
        case .integers(let value): try encode(value)
        case .doubles(let value): try encode(value)
        case .bytes(let value): try encode(value)
        case .array(let value): try encode(value)
        case .dictionary(let value): try encode(value)
        case .optional(let value): try encode(value)
        case .record(let value): try value.encode(to: encoder)
        case .members(let members):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (key, value) in members { try Self.encode(value, AnyKey(key), into: &container) }
        case .nested(let members):
            var container = encoder.container(keyedBy: AnyKey.self)
            var object = container.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("anObject"))
            var array = container.nestedUnkeyedContainer(forKey: AnyKey("array"))
            var inner = array.nestedContainer(keyedBy: AnyKey.self)
            var empty = array.nestedUnkeyedContainer()
            for (key, value) in members {
                try Self.encode(value, AnyKey(key), into: &container)
                try object.encode(value, forKey: AnyKey(key))
                try array.encode(value)
                try inner.encodeIfPresent(value, forKey: AnyKey(key))
                if case .null = value { try empty.encodeNil() }
            }
        case .inheriting(let first, let second):
            var container = encoder.container(keyedBy: AnyKey.self)
            try first.encode(to: container.superEncoder())
            try second.encode(to: container.superEncoder(forKey: AnyKey("otherSuper")))
            var array = container.nestedUnkeyedContainer(forKey: AnyKey("elements"))
            try array.encode(1)
            try second.encode(to: array.superEncoder())
            try array.encode(2)
        }
    }

    /// Encodes a value by the method for its type.
    private static func encode(
        _ value: JSONSample,
        _ key: AnyKey,
        into container: inout KeyedEncodingContainer<AnyKey>
    ) throws {
        switch value {
        case .null: try container.encodeNil(forKey: key)
        case .bool(let value): try container.encode(value, forKey: key)
        case .text(let value): try container.encode(value, forKey: key)
        case .double(let value): try container.encode(value, forKey: key)
        case .float(let value): try container.encode(value, forKey: key)
        case .date(let value): try container.encodeIfPresent(value, forKey: key)
        case let value: try container.encode(value, forKey: key)
        }
    }
}
