package import ApusCore
internal import Foundation
internal import NIOSSL

/// The certificates and the key of a client identity, parsed and checked.
struct ClientCertificate {
    /// The certificates, that of the client first.
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// The maximum number of certificates of an identity.
    private static let maximumChain = 16

    /// Parses an identity.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - now: The time at which the client's certificate must be valid. Default: that of the system.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, which names the file.
    init(_ identity: ClientIdentity, now: Date = Date()) throws(ApusError) {
        let reader = IdentityReader(identity: identity)
        let parts = try reader.parts()
        let key = parts.key
        var chain = parts.chain
        guard chain.count <= Self.maximumChain else {
            throw reader.fault("\(identity.name) has more than \(Self.maximumChain) certificates")
        }
        guard let own = chain.firstIndex(where: { Self.belongs(key, to: $0) }) else {
            throw reader.fault(
                "the key in \(identity.keyName) does not belong to \(chain.count == 1 ? "the" : "any") certificate in "
                    + identity.name
            )
        }
        // Some tools write the client's certificate last.
        chain.insert(chain.remove(at: own), at: 0)
        let validity = (begin: Int(chain[0].notValidBefore), end: Int(chain[0].notValidAfter))
        if let reason = CertificateRejection(validFrom: validity.begin, to: validity.end, now: now) {
            throw reader.fault("the client certificate in \(identity.name) can't be used: \(reason)")
        }
        self.chain = chain
        self.key = key
    }

    /// Whether a key is that of a certificate. The library compares them when it makes a context.
    private static func belongs(_ key: NIOSSLPrivateKey, to certificate: NIOSSLCertificate) -> Bool {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.certificateChain = [.certificate(certificate)]
        configuration.privateKey = .privateKey(key)
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }
}

extension ClientIdentity {
    /// Parses the identity and checks it.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration`, which names the file.
    package func parse() throws(ApusError) {
        _ = try ClientCertificate(self)
    }
}

/// Reads the parts of a client identity.
private struct IdentityReader {
    let identity: ClientIdentity

    /// Returns at least one certificate, and the key.
    func parts() throws(ApusError) -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
        switch identity.format {
        case .pem: return (try pemCertificates(), try pemKey())
        case .der: return (try derCertificates(), try derKey())
        case .pkcs12: return try bundle()
        }
    }

    /// Makes an error about the file of the certificates.
    func fault(_ detail: String, hint: String? = nil, isOfKey: Bool = false) -> ApusError {
        let error = ApusError(.invalidConfiguration, detail, hint: hint)
        let path = isOfKey ? identity.paths.last : identity.paths.first
        return path.map { error.with(fileAt: $0) } ?? error
    }

    // MARK: PEM and DER

    private func pemCertificates() throws(ApusError) -> [NIOSSLCertificate] {
        let bytes = identity.certificates.first ?? []
        let certificates = bytes.isEmpty ? [] : (try? NIOSSLCertificate.fromPEMBytes(bytes)) ?? []
        guard !certificates.isEmpty else { throw fault("\(identity.name) has no certificate in PEM") }
        return certificates
    }

    private func pemKey() throws(ApusError) -> NIOSSLPrivateKey {
        let bytes = identity.key ?? identity.certificates.first ?? []
        let text = String(decoding: bytes, as: UTF8.self)
        guard !bytes.isEmpty, text.contains("PRIVATE KEY-----") else {
            throw fault("\(identity.keyName) has no private key in PEM", isOfKey: true)
        }
        guard !identity.lacksPassphrase else {
            throw fault("the key in \(identity.keyName) is encrypted", hint: "give its passphrase", isOfKey: true)
        }
        // Without a callback the library would ask for the passphrase on the terminal.
        let passphrase = Array((identity.passphrase ?? "").utf8)
        // The library ends the process for others.
        guard passphrase.allSatisfy({ $0 < 0x80 }) else {
            throw fault(
                "the passphrase of the key in \(identity.keyName) has characters outside of ASCII",
                isOfKey: true
            )
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem) { set in set(passphrase) }
        } catch {
            let isEncrypted = text.contains("ENCRYPTED")
            let reason = isEncrypted ? "can't be decrypted: its passphrase is wrong, or it is damaged" : "can't be read"
            throw fault("the key in \(identity.keyName) \(reason)", isOfKey: true)
        }
    }

    private func derCertificates() throws(ApusError) -> [NIOSSLCertificate] {
        var certificates: [NIOSSLCertificate] = []
        for bytes in identity.certificates {
            guard !bytes.isEmpty, let certificate = try? NIOSSLCertificate(bytes: bytes, format: .der) else {
                throw fault("the certificate \(certificates.count + 1) of the client identity can't be read as DER")
            }
            certificates.append(certificate)
        }
        guard !certificates.isEmpty else { throw fault("the client identity has no certificate") }
        return certificates
    }

    private func derKey() throws(ApusError) -> NIOSSLPrivateKey {
        let bytes = identity.key ?? []
        guard !bytes.isEmpty, let key = try? NIOSSLPrivateKey(bytes: bytes, format: .der) else {
            throw fault("the key of the client identity can't be read as DER", isOfKey: true)
        }
        return key
    }

    // MARK: PKCS#12

    /// The content type `encryptedData`, 1.2.840.113549.1.7.6.
    private static let encrypted: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06]
    /// The beginning of the bag types of PKCS#12, 1.2.840.113549.1.12.10.1.
    private static let bag: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01]

    private func bundle() throws(ApusError) -> (chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) {
        let bytes = identity.certificates.first ?? []
        guard bytes.first == 0x30 else { throw fault("\(identity.name) is no PKCS#12 bundle") }
        // The library ends the process for a bundle without a key or a certificate. A key has its own encryption, so its
        // bag is visible.
        guard contains(bytes, Self.bag + [1]) || contains(bytes, Self.bag + [2]) else {
            throw fault("\(identity.name) has no private key")
        }
        guard contains(bytes, Self.bag + [3]) || contains(bytes, Self.encrypted) else {
            throw fault("\(identity.name) has no certificate")
        }
        let passphrase = Array((identity.passphrase ?? "").utf8)
        do {
            let bundle = try NIOSSLPKCS12Bundle(buffer: bytes, passphrase: passphrase)
            return (bundle.certificateChain, bundle.privateKey)
        } catch {
            guard String(describing: error).contains("INCORRECT_PASSWORD") else {
                throw fault("\(identity.name) can't be read as a PKCS#12 bundle")
            }
            let problem = passphrase.isEmpty ? "needs a passphrase" : "has another passphrase"
            throw fault("\(identity.name) \(problem)")
        }
    }

    private func contains(_ bytes: [UInt8], _ pattern: [UInt8]) -> Bool {
        bytes.firstRange(of: pattern) != nil
    }
}
