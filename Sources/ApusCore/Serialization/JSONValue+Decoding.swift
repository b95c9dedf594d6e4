public import ApusJSON
internal import Foundation

extension JSONValue {
    /// Decodes the value into your own type.
    ///
    /// ```swift
    /// let page = try JSONValue(parsing: #"{"next": 2, "users": [{"id": 1, "name": "Ada"}]}"#)
    /// let users = try page["users"]?.decode([User].self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. It reads the value as JSON text. Default: `JSONContentDecoder`.
    /// - Returns: The decoded value.
    /// - Throws: `ApusError` with the code `decodingFailed` and the coding path.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONContentDecoder()
    ) throws(ApusError) -> Value {
        try decoder.decodeReporting(type, from: Data(jsonText().utf8))
    }
}
