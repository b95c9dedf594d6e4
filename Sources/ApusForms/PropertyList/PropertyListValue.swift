public import ApusCore
public import Foundation

/// A property list as a value: what `PropertyListSerialization` gives, without casts, and safe to make of whatever comes.
///
/// ```swift
/// let settings = try await session.get("https://api.example.org/settings.plist").validate().propertyList()
/// print(settings["name"]?.string ?? "unnamed", settings["ports"]?[0]?.integer ?? 0)
/// ```
///
/// XML and the binary format are read here and not by Foundation, which on Linux can be made to crash, or to use up all
/// memory, by a few bytes.
public enum PropertyListValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A moment; a whole second in XML.
    case date(Date)
    /// A whole number: any that fits `Int64` or `UInt64`, which is what the formats have.
    case integer(Int128)
    /// A floating-point number.
    case real(Double)
    /// Yes or no.
    case boolean(Bool)
    /// Values in their order.
    case array([PropertyListValue])
    /// Values by their names.
    case dictionary([String: PropertyListValue])

    /// How deep arrays and dictionaries may be nested at most: 256. Values are taken apart again by recursion, and
    /// threads can have short stacks.
    public static let deepestNesting = 256

    /// Reads a property list.
    ///
    /// A reference to another object, as keyed archives have it, becomes the dictionary `CF$UID`, as it stands in XML.
    ///
    /// - Parameters:
    ///   - data: The property list.
    ///   - formats: The formats that are taken; XML and binary by default, since nearly any text is one of OpenStep's.
    ///   - limits: What it may cost.
    /// - Throws: `ApusError` with the code `decodingFailed`.
    public init(
        _ data: Data,
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits()
    ) throws(ApusError) {
        let format = PropertyListFormat(of: data)
        do throws(PropertyListFault) {
            guard data.count <= limits.maximumBytes else {
                throw PropertyListFault(
                    "it has \(data.count) bytes, and \(limits.maximumBytes) are allowed; "
                        + "raise PropertyListLimits.maximumBytes"
                )
            }
            guard formats.contains(format) else {
                throw PropertyListFault("it is none of the formats that are taken: \(formats.spoken)")
            }
            switch format {
            case .binary: self = try BinaryPropertyListReader.read([UInt8](data), limits: limits)
            case .xml: self = try XMLPropertyListReader.read(data, limits: limits)
            case .openStep: self = try OpenStepPropertyListReader.read(data, limits: limits)
            }
        } catch {
            throw ApusError(.decodingFailed, "the property list is not acceptable: \(error.message)")
        }
    }
}

extension Set<PropertyListFormat> {
    fileprivate var spoken: String {
        map { "\($0)" }.sorted().joined(separator: ", ")
    }
}
