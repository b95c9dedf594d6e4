/// The members of a JSON object, in their order, each name once.
///
/// The order is that in which the names came first, and counts for nothing when two objects are compared. Names are
/// compared as Swift compares strings. A member of a short object is found by looking at one after the other, that of a
/// long one by its hash.
///
/// ```swift
/// var object: JSONObject = ["name": "Ada", "tags": ["admin"]]
/// object["tags"] = nil
/// print(object.keys)  // ["name"]
/// ```
public struct JSONObject: Sendable {
    /// A name and its value.
    public typealias Element = (key: String, value: JSONValue)

    /// Objects with more members keep a table of their names.
    private static let longCount = 16

    private var members: [Element] = []
    /// Where each name is; there only for long objects.
    private var places: [String: Int]?

    /// No members.
    public init() {}

    /// The members of a sequence, in its order; of those with the same name the last value counts.
    public init(_ members: some Sequence<Element>) {
        self.members.reserveCapacity(members.underestimatedCount)
        for (key, value) in members { set(key, value) }
    }

    /// The members of a text, as many names as values; of those with the same name the first value counts.
    init(_ keys: ArraySlice<String>, _ values: ArraySlice<JSONValue>) {
        members.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) where place(of: key) == nil { append(key, value) }
    }

    /// The names, in their order.
    public var keys: [String] { members.map(\.key) }

    /// The values, in the order of their names.
    public var values: [JSONValue] { members.map(\.value) }

    /// The value of a name; `nil` where there is no such member. A new name comes last; setting `nil` takes its member
    /// out, which takes as long as there are members.
    public subscript(key: String) -> JSONValue? {
        get { place(of: key).map { members[$0].value } }
        set {
            if let newValue {
                set(key, newValue)
            } else if let place = place(of: key) {
                members.remove(at: place)
                if places != nil { indexMembers() }
            }
        }
    }

    private mutating func set(_ key: String, _ value: JSONValue) {
        if let place = place(of: key) {
            members[place].value = value
        } else {
            append(key, value)
        }
    }

    private func place(of key: String) -> Int? {
        if let places { return places[key] }
        return members.firstIndex { $0.key == key }
    }

    private mutating func append(_ key: String, _ value: JSONValue) {
        members.append((key, value))
        if places != nil {
            places?[key] = members.count - 1
        } else if members.count > Self.longCount {
            indexMembers()
        }
    }

    private mutating func indexMembers() {
        places =
            members.count > Self.longCount
            ? Dictionary(uniqueKeysWithValues: members.enumerated().map { ($0.element.key, $0.offset) }) : nil
    }
}

extension JSONObject: RandomAccessCollection {
    public var startIndex: Int { members.startIndex }

    public var endIndex: Int { members.endIndex }

    public subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { (key: $0, value: $1) })
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same members, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // The sum does not depend on the order.
        var sum = 0
        for (key, value) in members {
            var member = hasher
            member.combine(key)
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(count)
        hasher.combine(sum)
    }
}
