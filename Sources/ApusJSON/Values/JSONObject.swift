/// The members of a JSON object, in order, each name once.
///
/// The order is that of the first occurrence of each name. Comparisons ignore it. Names are compared like Swift
/// strings. Short objects are searched member by member, and long ones by hash.
///
/// ```swift
/// var object: JSONObject = ["name": "Ada", "tags": ["admin"]]
/// object["tags"] = nil
/// print(object.keys)  // ["name"]
/// ```
public struct JSONObject: Sendable {
    /// A name and its value.
    public typealias Element = (key: String, value: JSONValue)

    /// Objects with more members than this keep a table of their names.
    private static let longCount = 16

    private var members: [Element] = []
    /// The index of each name. Only used for long objects.
    private var places: [String: Int]?

    /// Creates an object without members.
    public init() {}

    /// Creates an object from a sequence of members, in order. If a name occurs twice, the last value is used.
    public init(_ members: some Sequence<Element>) {
        self.members.reserveCapacity(members.underestimatedCount)
        for (key, value) in members { set(key, value) }
    }

    /// Creates an object from parsed names and values of equal number. If a name occurs twice, the first value is used.
    init(_ keys: ArraySlice<String>, _ values: ArraySlice<JSONValue>) {
        members.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) where place(of: key) == nil { append(key, value) }
    }

    /// The names, in order.
    public var keys: [String] { members.map(\.key) }

    /// The values, in the order of their names.
    public var values: [JSONValue] { members.map(\.value) }

    /// Returns the value of a name, or `nil` if there is none. Setting a new name appends a member. Setting `nil`
    /// removes the member, in linear time.
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
    /// Whether both objects have the same members, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // A sum of hashes does not depend on the order of members.
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
