internal import Apus
internal import Foundation

/// The encoding of the texts of forms, with its name in a content type.
///
/// See RFC 2978, https://www.rfc-editor.org/rfc/rfc2978.html
struct TextEncoding {
    /// The names that servers know.
    static let labels: [String.Encoding: String] = [
        .utf8: "utf-8",
        .ascii: "us-ascii",
        .isoLatin1: "iso-8859-1",
        .isoLatin2: "iso-8859-2",
        .windowsCP1250: "windows-1250",
        .windowsCP1251: "windows-1251",
        .windowsCP1252: "windows-1252",
        .windowsCP1253: "windows-1253",
        .windowsCP1254: "windows-1254",
        .macOSRoman: "macintosh",
        .shiftJIS: "shift_jis",
        .japaneseEUC: "euc-jp",
        .iso2022JP: "iso-2022-jp",
        .utf16: "utf-16",
        .utf16BigEndian: "utf-16be",
        .utf16LittleEndian: "utf-16le",
        .utf32: "utf-32",
        .utf32BigEndian: "utf-32be",
        .utf32LittleEndian: "utf-32le",
    ]

    private let encoding: String.Encoding
    private let label: String

    /// - Throws: `ApusError` with the code `parameterEncodingFailed` for an encoding without a name.
    init(_ encoding: String.Encoding) throws(ApusError) {
        guard let label = Self.labels[encoding] else {
            throw ApusError(
                .parameterEncodingFailed,
                "its stringEncoding, \(encoding), has no name that a server knows; set .utf8"
            )
        }
        self.encoding = encoding
        self.label = label
    }

    /// The parameter of a content type. Empty for UTF-8, which servers expect without one.
    var parameter: String { encoding == .utf8 ? "" : "; charset=\(label)" }

    /// Returns the bytes of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - place: The place of the text in a request, for errors.
    /// - Returns: The bytes.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` if a character is not in the encoding.
    func data(_ text: String, of place: @autoclosure () -> String) throws(ApusError) -> Data {
        guard let data = text.data(using: encoding) else {
            throw ApusError(
                .parameterEncodingFailed,
                "\(place()) has a character that can't be encoded as \(label); set stringEncoding to .utf8"
            )
        }
        return data
    }

    /// Throws if a form can't be encoded, since its delimiters are ASCII.
    func requireASCII() throws(ApusError) {
        let delimiters = "&=%+az09"
        guard delimiters.data(using: encoding) == Data(delimiters.utf8) else {
            throw ApusError(
                .parameterEncodingFailed,
                "a form can't be encoded as \(label); set stringEncoding to .utf8"
            )
        }
    }
}
