/// A key of any name.
package struct AnyKey: CodingKey {
    package let stringValue: String
    package let intValue: Int? = nil

    package init(_ name: String) { self.stringValue = name }

    package init?(stringValue: String) { self.init(stringValue) }

    package init?(intValue: Int) { nil }
}

/// A value that encodes itself by a closure.
package struct Encoding: Encodable {
    package let body: @Sendable (any Encoder) throws -> Void

    package init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }

    package func encode(to encoder: any Encoder) throws { try body(encoder) }
}

/// An error of user code.
package struct Fault: Error, Equatable {
    package init() {}
}
