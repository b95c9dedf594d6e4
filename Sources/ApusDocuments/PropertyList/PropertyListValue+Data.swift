public import ApusCore
public import Foundation

extension PropertyListValue {
    /// Encodes the property list.
    ///
    /// Dictionaries are sorted by key in XML, so that equal values have equal output.
    ///
    /// - Parameter format: The format. Default: XML.
    /// - Returns: The encoded property list.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` if the format can't represent a value: a character
    ///   that XML does not allow, a number beyond `UInt64`, an invalid date.
    public func data(format: PropertyListFormat = .xml) throws(ApusError) -> Data {
        switch format {
        case .xml:
            return Data(try XMLPropertyListWriter.text(of: self).utf8)
        case .binary:
            let list = try foundationValue()
            do {
                return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            } catch {
                throw ApusError(.parameterEncodingFailed, "the property list can't be written", underlying: error)
            }
        }
    }

    /// Decodes the property list into your own type.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. Default: a `PropertyListDecoder` with default settings.
    /// - Returns: The decoded value.
    /// - Throws: `ApusError` with the code `decodingFailed` and the coding path.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: PropertyListDecoder = PropertyListDecoder()
    ) throws(ApusError) -> Value {
        try decoder.decodeReporting(type, from: try data(format: .binary))
    }

    /// Returns the value in the types that Foundation encodes.
    private func foundationValue() throws(ApusError) -> Any {
        switch self {
        case .string(let string): return string
        case .data(let data): return data
        case .date(let date):
            guard date.timeIntervalSinceReferenceDate.isFinite else { throw PropertyListValue.noDate }
            return date
        case .integer(let integer):
            if let integer = Int64(exactly: integer) { return NSNumber(value: integer) }
            guard let integer = UInt64(exactly: integer) else { throw PropertyListValue.noInteger }
            return NSNumber(value: integer)
        case .real(let real): return NSNumber(value: real)
        case .boolean(let boolean): return NSNumber(value: boolean)
        case .array(let array):
            var values: [Any] = []
            for value in array { values.append(try value.foundationValue()) }
            return values
        case .dictionary(let dictionary):
            var values: [String: Any] = [:]
            for (name, value) in dictionary { values[name] = try value.foundationValue() }
            return values
        }
    }

    static let noDate = ApusError(.parameterEncodingFailed, "a date of the property list is not finite")
    static let noInteger = ApusError(.parameterEncodingFailed, "a number of the property list does not fit in 64 bits")
}
