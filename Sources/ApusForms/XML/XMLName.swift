/// The name of an element or of an attribute, with the namespace it is in.
///
/// A prefix that nobody declared leaves the namespace `nil`: the name stands as it was written.
public struct XMLName: Sendable, Hashable {
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
        if name == qualified || name == "*" { return true }
        guard let colon = XMLName.colon(in: qualified.utf8) else { return false }
        return qualified.utf8[qualified.utf8.index(after: colon)...].elementsEqual(name.utf8)
    }

    /// Where the one colon of a name stands that has a prefix.
    static func colon<Bytes: Collection>(in name: Bytes) -> Bytes.Index? where Bytes.Element == UInt8 {
        let colon = UInt8(ascii: ":")
        guard let first = name.firstIndex(of: colon), first != name.startIndex else { return nil }
        let rest = name[name.index(after: first)...]
        return rest.isEmpty || rest.contains(colon) ? nil : first
    }
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
