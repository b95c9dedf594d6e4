public import ApusCore
public import Foundation

extension ServerCertificate {
    /// Reads a certificate in DER.
    ///
    /// - Parameter der: The bytes of the certificate.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if they are no certificate.
    public init(der: Data) throws(ApusError) {
        try self.init(der: Array(der), "the data of \(der.count) bytes")
    }

    private init(der: [UInt8], _ place: String) throws(ApusError) {
        do throws(CertificateRejection) {
            try self.init(derBytes: der)
        } catch {
            let reason = if case .malformed(let text) = error { text } else { error.description }
            throw ApusError(.invalidConfiguration, "\(place) is no certificate: \(reason)", underlying: error)
        }
    }

    /// Reads the certificates of a PEM text. Text between the blocks is ignored.
    ///
    /// - Parameter pem: The text, with at least one certificate.
    /// - Returns: The certificates, in order.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if there is none, or if a block is no certificate.
    public static func certificates(pem: String) throws(ApusError) -> [ServerCertificate] {
        try parsed(CertificateFile.certificates(inPEM: Array(pem.utf8), "the PEM text"), "the PEM text")
    }

    /// Reads the certificates of a file, in PEM or DER. The calling thread waits for the file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The certificates, in order.
    /// - Throws: `ApusError` with the code `fileUnreadable`, or with `invalidConfiguration` if there is no certificate,
    ///   or if a block is no certificate.
    public static func certificates(inFile path: String) throws(ApusError) -> [ServerCertificate] {
        let outlines = try CertificateFile.certificates(inFile: path, unreadable: .fileUnreadable)
        do throws(ApusError) {
            return try parsed(outlines, "'\(path)'")
        } catch {
            throw error.with(fileAt: path)
        }
    }

    /// Reads the certificates of a bundle: of its files `.cer`, `.crt` and `.der`, in PEM or DER.
    ///
    /// - Parameter bundle: The bundle. Default: the main one.
    /// - Returns: The certificates without duplicates, in the order of the names of their files. It may be empty.
    /// - Throws: The errors of `certificates(inFile:)`.
    public static func certificates(in bundle: Bundle = .main) throws(ApusError) -> [ServerCertificate] {
        var paths: Set<String> = []
        for name in ["cer", "CER", "crt", "CRT", "der", "DER"] {
            for url in bundle.urls(forResourcesWithExtension: name, subdirectory: nil) ?? [] {
                paths.insert((url as URL).path(percentEncoded: false))
            }
        }
        var found: [ServerCertificate] = []
        for path in paths.sorted() {
            for certificate in try certificates(inFile: path) where !found.contains(certificate) {
                found.append(certificate)
            }
        }
        return found
    }

    private static func parsed(
        _ outlines: [CertificateOutline],
        _ place: String
    ) throws(ApusError) -> [ServerCertificate] {
        var certificates: [ServerCertificate] = []
        for (index, outline) in outlines.enumerated() {
            certificates.append(try ServerCertificate(der: outline.derBytes, "certificate \(index + 1) of \(place)"))
        }
        return certificates
    }
}
