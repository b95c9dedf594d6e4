internal import ApusJSON
package import Foundation

/// Decodes bytes into strings, using the metadata of a response.
package enum CharacterSetDecoding {
    /// Returns the string in `encoding`, or else in the `charset` of the content type, or else by its byte order mark,
    /// or else as UTF-8, or else as ISO-8859-1. The byte order mark is not part of the string.
    package static func string(
        _ data: Data,
        encoding: String.Encoding?,
        contentType: String?
    ) throws(ApusError) -> String {
        if let encoding { return try string(data, in: Charset(encoding)) }
        if let stated = try charset(ofContentType: contentType) { return try string(data, in: stated) }
        if let mark = ByteOrderMark(of: data), let string = Charset(mark.encoding).string(data) { return string }
        if let string = String(validating: data, as: UTF8.self) { return string }
        return String(data: data, encoding: .isoLatin1) ?? String(decoding: data, as: UTF8.self)
    }

    /// Returns the string in a charset, without its byte order mark.
    package static func string(_ data: Data, in charset: Charset) throws(ApusError) -> String {
        if let string = charset.string(data) { return string }
        throw ApusError(
            .stringDecodingFailed,
            charset.isSupported
                ? "its \(data.count) bytes are not valid \(charset.name)"
                : "text in \(charset.name) can't be decoded on this system"
        )
        .with(failedStringEncoding: charset.stringEncoding)
    }

    /// Returns the charset label of a content type, or `nil` if it has none.
    package static func label(ofContentType contentType: String?) -> String? {
        contentType.flatMap { FieldParameters.value(of: "charset", in: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the charset of a content type, or `nil` if it states none.
    ///
    /// - Throws: `ApusError` with the code `code` if the label is unknown.
    package static func charset(
        ofContentType contentType: String?,
        orThrow code: ApusError.Code = .stringDecodingFailed
    ) throws(ApusError) -> Charset? {
        guard let label = label(ofContentType: contentType) else { return nil }
        guard let charset = Charset(label: label) else {
            throw ApusError(code, "its charset \(Excerpt.quoted(label)) is unknown; specify the encoding")
        }
        return charset
    }
}

/// A byte order mark, which identifies a Unicode encoding.
package enum ByteOrderMark: CaseIterable {
    // Ordered before UTF-16, whose little-endian mark is a prefix of this one.
    case utf32LittleEndian
    case utf32BigEndian
    case utf8
    case utf16LittleEndian
    case utf16BigEndian

    /// Returns the mark at the start of a text, or `nil` if there is none.
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

    /// The length of the mark in bytes.
    package var length: Int { bytes.count }

    /// The encoding that the mark identifies.
    package var encoding: String.Encoding {
        switch self {
        case .utf32LittleEndian: .utf32LittleEndian
        case .utf32BigEndian: .utf32BigEndian
        case .utf8: .utf8
        case .utf16LittleEndian: .utf16LittleEndian
        case .utf16BigEndian: .utf16BigEndian
        }
    }
}
