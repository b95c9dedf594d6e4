/// The name of an element or attribute, with its namespace.
///
/// The namespace is `nil` if the prefix is not declared. Names are compared by their characters: `é` as one character
/// and as two are different names, by XML 1.0 §1.2.
public struct XMLName: Sendable {
    /// The name as written, such as `soap:Body`.
    public let qualified: String
    /// The namespace of the prefix, or the default namespace for an element without a prefix.
    public let namespace: String?

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - qualified: The name as written, with its prefix.
    ///   - namespace: The namespace. Default: `nil`.
    public init(_ qualified: String, namespace: String? = nil) {
        self.qualified = qualified
        self.namespace = namespace
    }

    /// The part before the colon. `nil` unless there is exactly one colon with a name on either side.
    public var prefix: String? {
        XMLName.colon(in: qualified.utf8).map { String(qualified[..<$0]) }
    }

    /// The part after the colon, or the whole name if there is no prefix.
    public var local: String {
        XMLName.colon(in: qualified.utf8).map { String(qualified[qualified.utf8.index(after: $0)...]) } ?? qualified
    }

    /// Returns whether `name` matches this one. A name without a colon matches any prefix, a name with a colon only
    /// that prefix, and `*` matches every name.
    public func matches(_ name: String) -> Bool {
        if qualified.isSame(as: name) || name == "*" { return true }
        guard let colon = XMLName.colon(in: qualified.utf8) else { return false }
        return qualified.utf8[qualified.utf8.index(after: colon)...].elementsEqual(name.utf8)
    }

    /// Returns whether this one has a local name in a namespace, with any prefix.
    func isSame(as local: String, in namespace: String) -> Bool {
        self.namespace?.isSame(as: namespace) == true && self.local.isSame(as: local)
    }

    /// Returns the index of the colon in a name with a prefix.
    static func colon<Bytes: Collection>(in name: Bytes) -> Bytes.Index? where Bytes.Element == UInt8 {
        let colon = UInt8(ascii: ":")
        guard let first = name.firstIndex(of: colon), first != name.startIndex else { return nil }
        let rest = name[name.index(after: first)...]
        return rest.isEmpty || rest.contains(colon) ? nil : first
    }
}

extension XMLName: Hashable {
    public static func == (left: XMLName, right: XMLName) -> Bool {
        guard left.qualified.isSame(as: right.qualified) else { return false }
        guard let namespace = left.namespace, let other = right.namespace else {
            return left.namespace == nil && right.namespace == nil
        }
        return namespace.isSame(as: other)
    }

    public func hash(into hasher: inout Hasher) {
        qualified.hashCharacters(into: &hasher)
        namespace?.hashCharacters(into: &hasher)
    }
}

extension String {
    /// Returns whether another string has the same characters. Unlike `==`, equivalent ones differ.
    func isSame(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Hashes the string consistently with `isSame`.
    fileprivate func hashCharacters(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(utf8.count)
    }
}

/// A string as a dictionary key, compared by its characters.
struct ExactText: Hashable {
    let text: String

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.isSame(as: right.text) }

    func hash(into hasher: inout Hasher) { text.hashCharacters(into: &hasher) }
}

extension XMLName: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The name as written.
    public var description: String { qualified }
}

/// An attribute of an element. Namespace declarations are attributes too.
public struct XMLAttribute: Sendable, Hashable {
    /// The name. Without a prefix it is in no namespace.
    public var name: XMLName
    /// The value, with its references resolved.
    public var value: String

    /// Creates an attribute.
    public init(_ name: XMLName, _ value: String) {
        self.name = name
        self.value = value
    }
}
