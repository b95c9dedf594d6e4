public import Foundation

/// How a property list is written down.
public enum PropertyListFormat: Sendable, Hashable, CaseIterable {
    /// XML, with the document type of Apple.
    case xml
    /// The binary format.
    case binary
    /// The text of OpenStep, `{ key = value; }`: it is read, and never written. It knows strings, data, arrays and
    /// dictionaries alone, and nearly any word is one.
    case openStep

    /// Tells by the first bytes how a property list is written down; they do not tell whether it is one.
    public init(of data: Data) {
        if data.starts(with: "bplist".utf8) {
            self = .binary
            return
        }
        // Of UTF-16 this leaves what is ASCII, and of a byte order mark nothing.
        let beginning = data.prefix(256).filter { $0 > 0x20 && $0 < 0x80 }
        let isXML = PropertyListFormat.xmlBeginnings.contains { beginning.starts(with: $0.utf8) }
        self = isXML ? .xml : .openStep
    }

    /// What the text of OpenStep can't begin with: data, `<0af3>`, has hexadecimal digits behind its bracket.
    private static let xmlBeginnings = [
        "<?", "<!", "<plist", "<dict", "<array", "<string", "<data", "<date", "<integer", "<real", "<true", "<false",
    ]
}

/// What a property list may cost. A limit is inclusive: so much passes, one more does not.
public struct PropertyListLimits: Sendable, Hashable {
    /// The bytes of a property list as they came, and those of all its strings and data, counted as often as they are
    /// referred to; 64 MiB by default.
    public var maximumBytes: Int
    /// How deep arrays and dictionaries may be nested; 128 by default, and never more than
    /// ``PropertyListValue/deepestNesting``.
    public var maximumDepth: Int
    /// The values, counted as often as they are referred to; 1 000 000 by default. A binary list of a hundred bytes can
    /// refer to the same arrays so often that no memory would hold it.
    public var maximumValues: Int

    /// Makes limits.
    public init(maximumBytes: Int = 64 << 20, maximumDepth: Int = 128, maximumValues: Int = 1_000_000) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
    }
}
