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
            try requireEncodable()
            do {
                return try PropertyListSerialization.data(
                    fromPropertyList: foundationObject,
                    format: .binary,
                    options: 0
                )
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

    /// Throws if Foundation can't encode the value.
    private func requireEncodable() throws(ApusError) {
        switch self {
        case .string, .data, .real, .boolean: return
        case .date(let date):
            guard date.timeIntervalSinceReferenceDate.isFinite else { throw PropertyListValue.noDate }
        case .integer(let integer):
            guard Int64(exactly: integer) != nil || UInt64(exactly: integer) != nil else {
                throw PropertyListValue.noInteger
            }
        case .array(let array):
            for value in array { try value.requireEncodable() }
        case .dictionary(let dictionary):
            for value in dictionary.values { try value.requireEncodable() }
        }
    }

    static let noDate = ApusError(.parameterEncodingFailed, "a date of the property list is not finite")
    static let noInteger = ApusError(.parameterEncodingFailed, "a number of the property list does not fit in 64 bits")
}
