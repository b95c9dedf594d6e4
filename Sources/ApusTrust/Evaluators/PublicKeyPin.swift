public import ApusCore
internal import ApusJSON
internal import Crypto
public import Foundation

/// The pin of a public key: the SHA-256 hash of its `SubjectPublicKeyInfo`.
///
/// ```swift
/// let pin = try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
/// ```
///
/// This is the form of curl's `--pinnedpubkey`. The form of RFC 7469 and of other libraries has one slash. The pin of a
/// server is printed by:
///
/// ```sh
/// openssl s_client -connect api.example.org:443 </dev/null | openssl x509 -pubkey -noout |
///     openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
/// ```
public struct PublicKeyPin: Sendable, Hashable {
    /// The number of bytes of a SHA-256 hash.
    private static let hashBytes = 32
    /// The number of characters of a hash in Base64.
    private static let digitCount = 44
    private static let prefix = "sha256/"

    /// The SHA-256 hash of the key.
    public let hash: [UInt8]

    /// Reads a pin.
    ///
    /// - Parameter text: `sha256//` or `sha256/`, and the hash in Base64.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the text has another form.
    public init(_ text: String) throws(ApusError) {
        var digits = text.hasPrefix(Self.prefix) ? text.dropFirst(Self.prefix.count) : ""
        // The hash itself may begin with a slash too.
        if digits.utf8.count > Self.digitCount, digits.hasPrefix("/") { digits = digits.dropFirst() }
        guard digits.utf8.count == Self.digitCount, let hash = Data(base64Encoded: String(digits)),
            hash.count == Self.hashBytes
        else {
            throw ApusError(
                .invalidConfiguration,
                "\(Excerpt.quoted(text)) is no pin of a public key; write sha256// and 32 bytes in Base64"
            )
        }
        self.hash = Array(hash)
    }

    /// Creates the pin of a certificate's key.
    ///
    /// - Parameter certificate: The certificate.
    public init(certificate: ServerCertificate) {
        self.hash = certificate.publicKeyHash
    }

    /// Creates the pin of a key.
    ///
    /// - Parameter publicKey: The key in DER, as a `SubjectPublicKeyInfo`: RFC 5280 §4.1.2.7.
    public init(publicKey: Data) {
        self.hash = Array(SHA256.hash(data: publicKey))
    }
}

extension PublicKeyPin: CustomStringConvertible {
    /// The pin as `sha256//…`.
    public var description: String { "\(Self.prefix)/\(Data(hash).base64EncodedString())" }
}
