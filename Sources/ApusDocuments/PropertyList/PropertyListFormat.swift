public import Foundation

/// The format of a property list.
public enum PropertyListFormat: Sendable, Hashable, CaseIterable {
    /// XML, with Apple's document type.
    case xml
    /// The binary format.
    case binary

    /// Detects the format by the first bytes. They do not show whether the data is a valid property list.
    ///
    /// Returns `nil` for all other data, such as the text format of OpenStep, which is not supported.
    public init?(of data: Data) {
        if data.starts(with: "bplist".utf8) {
            self = .binary
            return
        }
        // Removes the zero bytes of UTF-16 and byte order marks.
        let beginning = data.prefix(256).filter { $0 > 0x20 && $0 < 0x80 }
        let isXML = PropertyListFormat.xmlBeginnings.contains { beginning.starts(with: $0.utf8) }
        guard isXML else { return nil }
        self = .xml
    }

    /// The beginnings of XML.
    private static let xmlBeginnings = [
        "<?", "<!", "<plist", "<dict", "<array", "<string", "<data", "<date", "<integer", "<real", "<true", "<false",
    ]
}

/// The limits for reading a property list. They are inclusive: a property list may reach them, but not exceed them.
public struct PropertyListLimits: Sendable, Hashable {
    /// The maximum size in bytes of a property list, and of all its strings and data. Values count for each reference
    /// to them. Default: 64 MiB.
    public var maximumBytes: Int
    /// The maximum nesting depth of arrays and dictionaries, at most ``PropertyListValue/deepestNesting``. Default:
    /// 128.
    public var maximumDepth: Int
    /// The maximum number of values, which count for each reference to them. A binary property list of a hundred bytes
    /// can refer to the same arrays so often that they exceed all memory. Default: 1 000 000.
    public var maximumValues: Int

    /// Creates limits.
    public init(maximumBytes: Int = 64 << 20, maximumDepth: Int = 128, maximumValues: Int = 1_000_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
    }
}
