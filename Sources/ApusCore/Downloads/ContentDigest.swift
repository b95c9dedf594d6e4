internal import ApusJSON
package import Foundation

/// The digest of a representation, by SHA-256 or SHA-512.
///
/// See RFC 9530 §5, https://www.rfc-editor.org/rfc/rfc9530.html#section-5
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
    /// A hash function, with its name in fields.
    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case sha256 = "sha-256"
        case sha512 = "sha-512"

        /// The number of bytes of a digest.
        package var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }

        /// The name for people: `SHA-256`.
        package var title: String { rawValue.uppercased() }
    }

    /// The place that has named a digest.
    package enum Origin: Sendable {
        /// The option `ExpectedDigest` of the request.
        case option
        /// The field `Repr-Digest` of the response.
        case field
    }

    package let algorithm: Algorithm
    package let bytes: [UInt8]

    /// Creates a digest. `nil` if the algorithm makes digests of another length.
    package init?(_ algorithm: Algorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Creates a digest from hexadecimal digits in any case. `nil` if their number is wrong, or if one is no digit.
    package init?(_ algorithm: Algorithm, hexadecimal text: String) {
        guard text.utf8.count == 2 * algorithm.byteCount else { return nil }
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        guard digits.count == 2 * algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The bytes in lowercase hexadecimal digits.
    package var hexadecimal: String { Self.hexadecimal(bytes) }

    /// The algorithm and the digits: `sha-256 ba7816bf…`.
    package var description: String { "\(algorithm.rawValue) \(hexadecimal)" }

    /// Returns the error for a file that has another digest.
    ///
    /// - Parameters:
    ///   - received: The digest of the file by the same algorithm.
    ///   - file: The file, by the name that the caller knows.
    ///   - origin: The place that has named this digest.
    /// - Returns: An error with the code `digestMismatch`.
    package func mismatch(with received: [UInt8], of file: URL, from origin: Origin) -> ApusError {
        let expectation =
            switch origin {
            case .option: "\(hexadecimal) was expected"
            case .field: "the Repr-Digest of the response is \(hexadecimal)"
            }
        let (path, digits) = (file.path(percentEncoded: false), Self.hexadecimal(received))
        return ApusError(
            .digestMismatch,
            "'\(path)' has the \(algorithm.title) digest \(digits), but \(expectation)",
            hint: origin == .option ? "compare the expected digest with its source, or try again" : "try again"
        )
        .with(file: file)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { $0.padded(to: 2, radix: 16) }.joined()
    }
}
