package import Foundation

/// Turns bytes into strings by what an answer says of them.
package enum CharacterSetDecoding {
    /// The string: in `encoding`, else the `charset` of the content type, else what its byte order mark says, else UTF-8,
    /// else ISO-8859-1. The mark is no part of the string.
    package static func string(
        _ data: Data,
        encoding: String.Encoding?,
        contentType: String?
    ) throws(ApusError) -> String {
        let mark = ByteOrderMark(of: data)
        if let stated = encoding ?? self.encoding(ofContentType: contentType) {
            let data = mark.map { $0.belongs(to: stated) ? data.dropFirst($0.length) : data } ?? data
            guard data.count.isMultiple(of: stated.unitBytes), let string = String(data: data, encoding: stated) else {
                throw ApusError(.stringDecodingFailed, "its \(data.count) bytes are no \(stated)")
            }
            return string
        }
        if let mark, data.count.isMultiple(of: mark.encoding.unitBytes),
            let string = String(data: data.dropFirst(mark.length), encoding: mark.encoding)
        {
            return string
        }
        if let string = String(validating: data, as: UTF8.self) { return string }
        return String(data: data, encoding: .isoLatin1) ?? String(decoding: data, as: UTF8.self)
    }

    /// The encoding that a content type names, where it is known here.
    package static func encoding(ofContentType contentType: String?) -> String.Encoding? {
        contentType.flatMap { FieldParameters.value(of: "charset", in: $0) }.flatMap(encoding(named:))
    }

    /// The encoding that goes by a name, where it is known here.
    package static func encoding(named name: String) -> String.Encoding? {
        encodings[name.lowercased()]
    }

    /// The names of the encodings that are known here, in small letters.
    package static var charsets: [String] { encodings.keys.sorted() }

    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .utf8, "ascii": .utf8,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
        "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC, "iso-2022-jp": .iso2022JP,
    ]
}

extension String.Encoding {
    /// The bytes of a code unit. The length of a text is a multiple of it; Foundation passes over what is not.
    fileprivate var unitBytes: Int {
        switch self {
        case .utf16, .utf16BigEndian, .utf16LittleEndian: 2
        case .utf32, .utf32BigEndian, .utf32LittleEndian: 4
        default: 1
        }
    }
}

/// The first bytes of a text that say in which encoding of Unicode it is.
package enum ByteOrderMark: CaseIterable {
    // Before UTF-16, whose little-endian mark is the beginning of this one's.
    case utf32LittleEndian
    case utf32BigEndian
    case utf8
    case utf16LittleEndian
    case utf16BigEndian

    /// The mark that a text begins with; `nil` where it has none.
    package init?(of data: Data) {
        guard let mark = Self.allCases.first(where: { data.starts(with: $0.bytes) }) else { return nil }
        self = mark
    }

    private var bytes: [UInt8] {
        switch self {
        case .utf32LittleEndian: [0xFF, 0xFE, 0, 0]
        case .utf32BigEndian: [0, 0, 0xFE, 0xFF]
        case .utf8: [0xEF, 0xBB, 0xBF]
        case .utf16LittleEndian: [0xFF, 0xFE]
        case .utf16BigEndian: [0xFE, 0xFF]
        }
    }

    /// How many bytes it has.
    package var length: Int { bytes.count }

    /// The encoding that it says.
    package var encoding: String.Encoding {
        switch self {
        case .utf32LittleEndian: .utf32LittleEndian
        case .utf32BigEndian: .utf32BigEndian
        case .utf8: .utf8
        case .utf16LittleEndian: .utf16LittleEndian
        case .utf16BigEndian: .utf16BigEndian
        }
    }

    /// Whether it is the mark of a text in `encoding`. UTF-16 and UTF-32 without an order need theirs to be decoded.
    func belongs(to encoding: String.Encoding) -> Bool { encoding == self.encoding }
}

/// Says in a sentence where a `Decodable` failed.
enum DecodingFailure {
    static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return Redaction.text(String(describing: error)) }
        switch error {
        case .keyNotFound(let key, let context): return "the key '\(key.stringValue)' is missing\(place(context))"
        case .valueNotFound(let type, let context): return "a \(type) is missing\(place(context))"
        case .typeMismatch(let type, let context): return "there is no \(type)\(place(context))"
        case .dataCorrupted(let context): return "\(context.debugDescription)\(place(context))"
        @unknown default: return String(describing: error)
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        guard !context.codingPath.isEmpty else { return " at the top" }
        let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
        return " at \(path.joined().drop { $0 == "." })"
    }
}
