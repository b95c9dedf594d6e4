/// A violation of HPACK in a header block.
///
/// After any of these the tables of the two sides may differ, so the connection can't be used any more
/// (RFC 9113 §4.3, COMPRESSION_ERROR).
package enum HPACKError: Error, Sendable, Equatable {
    /// An integer is above 2³¹−1, or has more than five bytes after its prefix.
    case integerTooLarge
    /// An index is zero, or is above that of the last entry of the dynamic table.
    case indexInvalid
    /// A Huffman-coded string contains EOS, or has more than seven bits of padding, or padding that is not all ones.
    case huffmanInvalid
    /// The block ends inside a line.
    case truncated
    /// A size update sets the dynamic table to more than the announced size.
    case tableSizeUpdateInvalid
    /// A size update follows a line of its block.
    case tableSizeUpdateMisplaced
}

extension HPACKError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .integerTooLarge: "A header block of the server contains an integer that is too large."
        case .indexInvalid: "A header block of the server refers to an entry that its table does not have."
        case .huffmanInvalid: "A header block of the server contains a string with an invalid Huffman code."
        case .truncated: "A header block of the server ends inside a line."
        case .tableSizeUpdateInvalid:
            "A header block of the server sets the dynamic table to more than the announced size."
        case .tableSizeUpdateMisplaced:
            "A header block of the server changes the size of the dynamic table after its first line."
        }
    }
}
