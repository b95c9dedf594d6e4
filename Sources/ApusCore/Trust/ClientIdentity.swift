internal import Foundation

/// A certificate with its private key, by which a server recognizes this client (mutual TLS).
///
/// ```swift
/// configuration.tls.identity = try .pemFile("/etc/ssl/client.pem", key: "/etc/ssl/client.key")
/// configuration.tls.identity = try .pkcs12File("client.p12", passphrase: passphrase)
/// ```
///
/// Files are read when the identity is made. The contents are read with the first connection, or by `check()`: a wrong
/// passphrase, a key that does not belong to the certificate or an expired certificate is an error with the code
/// `invalidConfiguration`, which names the file.
///
/// Two identities are equal if their contents are. Requests with different identities never share a connection.
public struct ClientIdentity: Sendable, Hashable {
    package enum Format: Sendable, Hashable {
        case pem
        case der
        case pkcs12
    }

    /// The parts of an identity. A class, since identities are copied and compared for each request.
    private final class Contents: Sendable {
        let format: Format
        let certificates: [[UInt8]]
        let key: [UInt8]?
        let passphrase: String?
        /// The files of the certificates and the key. Empty for bytes.
        let paths: [String]
        let digest: Int

        init(_ format: Format, _ certificates: [[UInt8]], _ key: [UInt8]?, _ passphrase: String?, _ paths: [String]) {
            self.format = format
            self.certificates = certificates
            self.key = key
            self.passphrase = passphrase
            self.paths = paths
            var hasher = Hasher()
            hasher.combine(format)
            hasher.combine(certificates)
            hasher.combine(key)
            hasher.combine(passphrase)
            self.digest = hasher.finalize()
        }
    }

    private let contents: Contents

    /// The encoding of the parts.
    package var format: Format { contents.format }
    /// The certificates, that of the client first. A PEM text or a PKCS#12 bundle is one element.
    package var certificates: [[UInt8]] { contents.certificates }
    /// The private key. `nil` if it is in the same text or bundle as the certificates.
    package var key: [UInt8]? { contents.key }
    package var passphrase: String? { contents.passphrase }
    /// The file of the certificates, and that of the key if it is another. Empty if the parts are no files.
    package var paths: [String] { contents.paths }
    /// The name of the certificates, for errors: the quoted name of a file, or a word for the bytes.
    package var name: String { paths.first.map { "'\($0)'" } ?? "the \(formatName) of the client identity" }
    /// The name of the key, for errors.
    package var keyName: String { paths.last.map { "'\($0)'" } ?? "the \(formatName) of the client's key" }

    private var formatName: String {
        switch format {
        case .pem: "PEM text"
        case .der: "DER"
        case .pkcs12: "PKCS#12 bundle"
        }
    }

    /// Makes an identity from PEM text.
    ///
    /// - Parameters:
    ///   - certificates: The client's certificate, and after it those of its authorities that the server may not know.
    ///   - key: The private key: PKCS#8, also encrypted, or the older forms for RSA and elliptic curves. `nil` if
    ///     `certificates` has it too. Default: `nil`.
    ///   - passphrase: The passphrase of an encrypted key. Default: `nil`.
    /// - Returns: The identity.
    public static func pem(_ certificates: String, key: String? = nil, passphrase: String? = nil) -> ClientIdentity {
        ClientIdentity(Contents(.pem, [Array(certificates.utf8)], key.map { Array($0.utf8) }, passphrase, []))
    }

    /// Reads an identity from PEM files.
    ///
    /// - Parameters:
    ///   - certificates: The path of the file with the client's certificate, and after it those of its authorities.
    ///   - key: The path of the file with the private key. `nil` if the first file has it too. Default: `nil`.
    ///   - passphrase: The passphrase of an encrypted key. Default: `nil`.
    /// - Returns: The identity.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if a file can't be read.
    public static func pemFile(
        _ certificates: String,
        key: String? = nil,
        passphrase: String? = nil
    ) throws(ApusError) -> ClientIdentity {
        let text = try contents(ofFile: certificates)
        guard let key else { return ClientIdentity(Contents(.pem, [text], nil, passphrase, [certificates])) }
        return ClientIdentity(Contents(.pem, [text], try contents(ofFile: key), passphrase, [certificates, key]))
    }

    /// Makes an identity from DER.
    ///
    /// - Parameters:
    ///   - certificates: The client's certificate, and after it those of its authorities.
    ///   - key: The private key, which is not encrypted.
    /// - Returns: The identity.
    public static func der(_ certificates: [[UInt8]], key: [UInt8]) -> ClientIdentity {
        ClientIdentity(Contents(.der, certificates, key, nil, []))
    }

    /// Makes an identity from a PKCS#12 bundle, RFC 7292.
    ///
    /// - Parameters:
    ///   - bundle: The bytes of the bundle, a `.p12` or `.pfx` file.
    ///   - passphrase: The passphrase of the bundle. Empty if it has none.
    /// - Returns: The identity.
    public static func pkcs12(_ bundle: [UInt8], passphrase: String) -> ClientIdentity {
        ClientIdentity(Contents(.pkcs12, [bundle], nil, passphrase, []))
    }

    /// Reads an identity from a PKCS#12 file, RFC 7292.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - passphrase: The passphrase of the file. Empty if it has none.
    /// - Returns: The identity.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the file can't be read.
    public static func pkcs12File(_ path: String, passphrase: String) throws(ApusError) -> ClientIdentity {
        ClientIdentity(Contents(.pkcs12, [try contents(ofFile: path)], nil, passphrase, [path]))
    }

    private init(_ contents: Contents) {
        self.contents = contents
    }

    /// The largest file that is read.
    private static let largestFile = 1 << 20

    private static func contents(ofFile path: String) throws(ApusError) -> [UInt8] {
        let data: Data?
        do throws(ApusError) {
            data = try PrivateFile(URL(filePath: path), or: .invalidConfiguration).read()
        } catch {
            throw ApusError(.invalidConfiguration, error.detail).with(fileAt: path)
        }
        guard let data else {
            throw ApusError(.invalidConfiguration, "the file '\(path)' of the client identity does not exist")
                .with(fileAt: path)
        }
        guard data.count <= largestFile else {
            throw ApusError(.invalidConfiguration, "'\(path)' is too large for a certificate or a key")
                .with(fileAt: path)
        }
        return Array(data)
    }

    public static func == (one: ClientIdentity, other: ClientIdentity) -> Bool {
        let (one, other) = (one.contents, other.contents)
        if one === other { return true }
        return one.digest == other.digest && one.format == other.format && one.certificates == other.certificates
            && one.key == other.key && one.passphrase == other.passphrase
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(contents.digest) }

    /// Whether the private key is encrypted, and no passphrase was given.
    package var lacksPassphrase: Bool {
        guard format == .pem, passphrase == nil else { return false }
        let text = String(decoding: key ?? certificates.first ?? [], as: UTF8.self)
        return text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
    }

    /// Returns the same identity with another passphrase.
    package func with(passphrase: String) -> ClientIdentity {
        ClientIdentity(Contents(format, certificates, key, passphrase, paths))
    }
}

// Without this, reflection would print the key and the passphrase.
extension ClientIdentity: CustomStringConvertible, CustomReflectable {
    /// The name of its file, without its contents.
    public var description: String { "client identity from \(name)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
