/// The name of an element or of an attribute, with the namespace it is in.
///
/// A prefix that nobody declared leaves the namespace `nil`: the name stands as it was written. Names are the same if their
/// characters are: `é` as one character and as two are two names, as XML 1.0 §1.2 has it.
public struct XMLName: Sendable {
    /// The name as it is written: `soap:Body`.
    public let qualified: String
    /// The namespace that the prefix stands for, or for an element without one the default namespace.
    public let namespace: String?

    /// Makes a name.
    ///
    /// - Parameters:
    ///   - qualified: The name as it is written, with its prefix.
    ///   - namespace: The namespace it is in; none by default.
    public init(_ qualified: String, namespace: String? = nil) {
        self.qualified = qualified
        self.namespace = namespace
    }

    /// What stands before the colon; `nil` where there is none, or not exactly one with a name on either side.
    public var prefix: String? {
        XMLName.colon(in: qualified.utf8).map { String(qualified[..<$0]) }
    }

    /// What stands behind the colon, or the whole name where there is no prefix.
    public var local: String {
        XMLName.colon(in: qualified.utf8).map { String(qualified[qualified.utf8.index(after: $0)...]) } ?? qualified
    }

    /// Whether `name` means this one: a name without a colon means every prefix, one with a colon this prefix, and
    /// `*` every name.
    public func matches(_ name: String) -> Bool {
        if qualified.isSame(as: name) || name == "*" { return true }
        guard let colon = XMLName.colon(in: qualified.utf8) else { return false }
        return qualified.utf8[qualified.utf8.index(after: colon)...].elementsEqual(name.utf8)
    }

    /// Whether this one has a local name in a namespace, whatever its prefix is.
    func isSame(as local: String, in namespace: String) -> Bool {
        self.namespace?.isSame(as: namespace) == true && self.local.isSame(as: local)
    }

    /// Where the one colon of a name stands that has a prefix.
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
    /// Whether another text has the same characters: unlike `==`, which takes equivalent ones for the same.
    func isSame(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Adds the text in a way that fits `isSame`.
    fileprivate func hashCharacters(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(utf8.count)
    }
}

/// A text as a key of a table: the same as another if its characters are.
struct ExactText: Hashable {
    let text: String

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.isSame(as: right.text) }

    func hash(into hasher: inout Hasher) { text.hashCharacters(into: &hasher) }
}

extension XMLName: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The name as it is written.
    public var description: String { qualified }
}

/// An attribute of an element. The declaration of a namespace is one too.
public struct XMLAttribute: Sendable, Hashable {
    /// Its name. One without a prefix is in no namespace.
    public var name: XMLName
    /// Its value, with the references in it resolved.
    public var value: String

    /// Makes an attribute.
    public init(_ name: XMLName, _ value: String) {
        self.name = name
        self.value = value
    }
}
