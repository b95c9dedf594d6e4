public import Foundation

/// What encodes an `Encodable` value into bytes: `JSONContentEncoder`, `JSONEncoder`, `PropertyListEncoder`, and types
/// of your own.
public protocol DataEncoder: Sendable {
    /// Encodes a value.
    ///
    /// - Parameter value: What is to be encoded.
    /// - Returns: The bytes.
    /// - Throws: What can't be encoded, best as `EncodingError.invalidValue` with its place.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONEncoder: DataEncoder {}

extension PropertyListEncoder: DataEncoder {}
