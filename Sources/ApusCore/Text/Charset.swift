package import Foundation

/// A character encoding, identified by the labels of the Encoding Standard.
///
/// All labels of the standard are supported, with the encodings that browsers use for them: `iso-8859-1` and `ascii`
/// are windows-1252, and `gb2312` is GBK. UTF-32 is supported too.
///
/// See https://encoding.spec.whatwg.org/#names-and-labels
package enum Charset: Hashable, Sendable {
    /// An encoding decoded by Foundation.
    case foundation(String.Encoding)
    /// UTF-16 in the order given by its byte order mark. Little-endian without one.
    case utf16
    case singleByte(SingleByteCharset)
    case system(SystemCharset)
    case eucJP
    case iso2022JP
    /// Maps the bytes from 0x80 to 0xFF to private characters.
    case userDefined
    /// Encodings that browsers no longer decode, since text in them could hide a script from a filter.
    case replacement

    package static let utf8 = Charset.foundation(.utf8)

    /// Creates the charset of an encoding chosen by the user.
    package init(_ encoding: String.Encoding) {
        // On Linux, Foundation has a name for this encoding but no table.
        self = encoding == .japaneseEUC ? .eucJP : .foundation(encoding)
    }

    /// Returns the encoding of a label, in any letter case. `nil` if the label is unknown.
    package init?(label: String) {
        guard label.utf8.count <= 32, label.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let label = label.lowercased()
        if label == "utf-8" {
            self = .utf8
        } else if let charset = Self.labels[label] {
            self = charset
        } else {
            return nil
        }
    }

    /// The encoding of Foundation. `nil` if Foundation has none.
    package var stringEncoding: String.Encoding? {
        switch self {
        case .foundation(let encoding): encoding
        case .utf16: .utf16
        case .eucJP: .japaneseEUC
        case .iso2022JP: .iso2022JP
        case .singleByte, .system, .userDefined, .replacement: nil
        }
    }

    /// The name used in errors.
    package var name: String {
        switch self {
        case .foundation(let encoding): "\(encoding)"
        case .utf16: "UTF-16"
        case .singleByte(let charset): charset.rawValue
        case .system(let charset): charset.rawValue
        case .eucJP: "EUC-JP"
        case .iso2022JP: "ISO-2022-JP"
        case .userDefined: "x-user-defined"
        case .replacement: "replacement"
        }
    }

    /// Whether this encoding can be decoded. Some encodings use tables of the system, which may be missing.
    package var isSupported: Bool {
        switch self {
        case .foundation, .utf16, .singleByte, .userDefined: true
        case .system(let charset): charset.isSupported
        case .eucJP, .iso2022JP: JapaneseText.isSupported
        case .replacement: false
        }
    }

    /// The minimum size of a character in bytes. The length of any text is a multiple of it.
    package var unitBytes: Int {
        switch self {
        case .utf16, .foundation(.utf16), .foundation(.utf16BigEndian), .foundation(.utf16LittleEndian): 2
        case .foundation(.utf32), .foundation(.utf32BigEndian), .foundation(.utf32LittleEndian): 4
        default: 1
        }
    }

    /// Returns the text of the bytes, without a byte order mark. `nil` if they are not valid in this encoding.
    package func string(_ data: Data) -> String? {
        switch self {
        case .foundation(let encoding):
            let mark = ByteOrderMark(of: data)
            return decoded(mark?.encoding == encoding ? data.dropFirst(mark?.length ?? 0) : data, encoding)
        case .utf16:
            let mark = ByteOrderMark(of: data)
            let isOfUTF16 = mark == .utf16LittleEndian || mark == .utf16BigEndian
            guard let mark, isOfUTF16 else { return decoded(data, .utf16LittleEndian) }
            return decoded(data.dropFirst(mark.length), mark.encoding)
        case .singleByte(let charset): return data.withUnsafeBytes { charset.string($0) }
        case .system(let charset): return data.withUnsafeBytes { charset.string($0) }
        case .eucJP: return data.withUnsafeBytes { JapaneseText.string(eucJP: $0) }
        case .iso2022JP: return data.withUnsafeBytes { JapaneseText.string(iso2022JP: $0) }
        case .userDefined:
            var text = ""
            for byte in data {
                let scalar = byte < 0x80 ? Unicode.Scalar(byte) : Unicode.Scalar(0xF700 + UInt32(byte))
                if let scalar { text.unicodeScalars.append(scalar) }
            }
            return text
        case .replacement: return data.isEmpty ? "" : nil
        }
    }

    /// Rejects a truncated character at the end, which Foundation would ignore.
    private func decoded(_ data: Data, _ encoding: String.Encoding) -> String? {
        data.count.isMultiple(of: unitBytes) ? String(data: data, encoding: encoding) : nil
    }
}
