internal import ApusJSON
public import Foundation

/// Encodes `Encodable` values into bytes: `JSONContentEncoder`, `JSONEncoder`, `PropertyListEncoder`, or your own type.
public protocol DataEncoder: Sendable {
    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: The encoded bytes.
    /// - Throws: An encoding error, preferably `EncodingError.invalidValue` with the coding path.
    func encode<Value: Encodable>(_ value: Value) throws -> Data
}

extension JSONContentEncoder: DataEncoder {}

extension JSONEncoder: DataEncoder {}

extension PropertyListEncoder: DataEncoder {}
