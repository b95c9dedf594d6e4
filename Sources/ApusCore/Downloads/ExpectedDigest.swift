internal import ApusJSON

/// The digest that a downloaded file must have, as an option of a request.
///
/// ```swift
/// let digest = try ExpectedDigest.sha256("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
/// let file = try await session.download("https://example.org/archive.zip", to: archive, options: [digest])
/// ```
///
/// It is compared with that of the whole file, after the decoding of a compressed response. If they differ, the
/// download throws `digestMismatch` with both digests, and removes the new file and its part. A file that was at the
/// destination stays. A `RetryPolicy` does not retry the request. Requests that write no file ignore the option.
public struct ExpectedDigest: RequestOption, IncidentalOption, Hashable, CustomStringConvertible {
    package let digest: ContentDigest

    private init(_ algorithm: ContentDigest.Algorithm, _ text: String) throws(ApusError) {
        guard let digest = ContentDigest(algorithm, hexadecimal: text) else {
            let byteCount = algorithm.byteCount
            throw ApusError(
                .invalidConfiguration,
                "\(Excerpt.quoted(text)) with \(text.count) characters is no \(algorithm.title) digest",
                hint: "write its \(byteCount) bytes as \(2 * byteCount) hexadecimal digits"
            )
        }
        self.digest = digest
    }

    /// Returns the option for a SHA-256 digest, as `sha256sum` prints it.
    ///
    /// - Parameter hexadecimal: The 64 hexadecimal digits, in any case.
    /// - Returns: The option.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the text is something else.
    public static func sha256(_ hexadecimal: String) throws(ApusError) -> ExpectedDigest {
        try ExpectedDigest(.sha256, hexadecimal)
    }

    /// Returns the option for a SHA-512 digest, as `sha512sum` prints it.
    ///
    /// - Parameter hexadecimal: The 128 hexadecimal digits, in any case.
    /// - Returns: The option.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the text is something else.
    public static func sha512(_ hexadecimal: String) throws(ApusError) -> ExpectedDigest {
        try ExpectedDigest(.sha512, hexadecimal)
    }

    /// The algorithm and the digits: `sha-256 ba7816bf…`.
    public var description: String { digest.description }
}
