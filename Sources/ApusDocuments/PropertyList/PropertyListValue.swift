public import ApusCore
public import Foundation

/// A property list as a value. Unlike `PropertyListSerialization`, it needs no casts and is safe for any input.
///
/// ```swift
/// let settings = try await session.get("https://api.example.org/settings.plist").validate().propertyList()
/// print(settings["name"]?.string ?? "unnamed", settings["ports"]?[0]?.integer ?? 0)
/// ```
///
/// XML and the binary format are parsed by this library, because on Linux a few bytes can make Foundation's parser
/// crash or use up all memory.
public enum PropertyListValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// Data.
    case data(Data)
    /// A date. In XML it has no fractions of seconds.
    case date(Date)
    /// An integer that fits into `Int64` or `UInt64`, the range of the formats.
    case integer(Int128)
    /// A floating-point number.
    case real(Double)
    /// A Boolean.
    case boolean(Bool)
    /// An array.
    case array([PropertyListValue])
    /// A dictionary.
    case dictionary([String: PropertyListValue])

    /// The maximum nesting depth of arrays and dictionaries: 256. Values are destroyed recursively, and some threads
    /// have small stacks.
    public static let deepestNesting = 256

    /// Parses a property list.
    ///
    /// A reference to another object, as in keyed archives, becomes a dictionary with the key `CF$UID`, as in XML.
    ///
    /// - Parameters:
    ///   - data: The property list.
    ///   - formats: The accepted formats. Default: XML and binary.
    ///   - limits: The limits for the property list.
    /// - Throws: `ApusError` with the code `decodingFailed`.
    public init(
        _ data: Data,
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits()
    ) throws(ApusError) {
        let format = PropertyListFormat(of: data)
        guard data.count <= limits.maximumBytes else {
            throw ApusError(
                .decodingFailed,
                "the property list has \(data.count) bytes, but \(limits.maximumBytes) are allowed; "
                    + "raise PropertyListLimits.maximumBytes"
            )
        }
        guard let format, formats.contains(format) else {
            throw ApusError(
                .decodingFailed,
                "the property list is in none of the accepted formats: \(formats.formatted)"
            )
        }
        switch format {
        case .binary: self = try BinaryPropertyListReader.read([UInt8](data), limits: limits)
        case .xml: self = try XMLPropertyListReader.read(data, limits: limits)
        }
    }
}

extension Set<PropertyListFormat> {
    fileprivate var formatted: String {
        map { "\($0)" }.sorted().joined(separator: ", ")
    }
}
