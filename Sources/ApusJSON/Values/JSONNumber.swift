public import Foundation

/// A JSON number, without loss of precision.
///
/// 64-bit integers are stored as integers. Other numbers are stored as a `Double` if its shortest text has the same
/// value, and otherwise as text, such as thirty digits or `1e400`. Two numbers are equal if they have the same decimal
/// value: `1`, `1.0` and `10e-1` are equal.
///
/// See RFC 8259 §6, https://www.rfc-editor.org/rfc/rfc8259.html#section-6
public struct JSONNumber: Sendable {
    enum Storage: Sendable {
        case integer(Int64)
        /// An integer above `Int64.max`.
        case unsigned(UInt64)
        /// A finite number.
        case double(Double)
        /// A number that neither an integer nor a `Double` represents.
        case text(String)
    }

    let storage: Storage

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// Creates a number from an integer of any width.
    public init(_ integer: some BinaryInteger) {
        if let signed = Int64(exactly: integer) {
            self.storage = .integer(signed)
        } else if let unsigned = UInt64(exactly: integer) {
            self.storage = .unsigned(unsigned)
        } else {
            self.storage = .text(String(integer))
        }
    }

    /// Creates the number that a `Double` prints as. `nil` for infinity and NaN, which JSON does not support.
    public init?(_ double: Double) {
        guard double.isFinite else { return nil }
        self.storage = .double(double)
    }

    /// Creates a number from JSON text. `nil` if the text is not a JSON number or contains white space.
    public init?(_ text: String) {
        var copy = text
        let number = copy.withUTF8 { bytes -> JSONNumber? in
            let bytes = UnsafeRawBufferPointer(bytes)
            var reader = JSONReader(depthLimit: 0)
            guard let token = try? reader.next(in: bytes), case .number(let range) = token, range == 0..<bytes.count
            else { return nil }
            return JSONNumber(wellFormed: bytes)
        }
        guard let number else { return nil }
        self = number
    }

    /// The number as an `Int64`. `nil` if it is not an integer, or out of range.
    public var int64: Int64? {
        if case .integer(let integer) = storage { integer } else { exactInteger() }
    }

    /// The number as a `UInt64`. `nil` if it is not an integer, or out of range.
    public var uint64: UInt64? {
        switch storage {
        case .integer(let integer): UInt64(exactly: integer)
        case .unsigned(let integer): integer
        case .double, .text: exactInteger()
        }
    }

    /// The number as an `Int`. `nil` if it is not an integer, or out of range.
    public var int: Int? { int64.flatMap { Int(exactly: $0) } }

    /// The nearest `Double`. `nil` if the number is out of range.
    public var double: Double? {
        switch storage {
        case .integer(let integer): Double(integer)
        case .unsigned(let integer): Double(integer)
        case .double(let double): double
        case .text(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }

    /// The number as a `Decimal`, rounded to 38 digits. `nil` if it is out of range.
    public var decimal: Decimal? { Decimal(string: text).flatMap { $0.isNaN ? nil : $0 } }

    /// The number as JSON text.
    public var text: String {
        switch storage {
        case .integer(let integer): String(integer)
        case .unsigned(let integer): String(integer)
        case .double(let double): double.description
        case .text(let text): text
        }
    }
}

extension JSONNumber: Hashable {
    /// Whether both are the same decimal number.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left.storage, right.storage) {
        case (.integer(let left), .integer(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        default: left.canonical == right.canonical
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(canonical)
    }

    private var canonical: DecimalDigits {
        var text = text
        return text.withUTF8 { DecimalDigits(UnsafeRawBufferPointer($0)) }
    }

    private func exactInteger<Integer: FixedWidthInteger>() -> Integer? {
        Integer(canonical)
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as JSON text.
    public var description: String { text }
}
