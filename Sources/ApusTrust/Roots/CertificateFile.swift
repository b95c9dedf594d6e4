internal import ApusCore
internal import Foundation

/// Reads certificates from text, files and folders. Reading a file may block.
enum CertificateFile {
    /// The maximum size of a file of certificates. That of a system has about 0.25 MB.
    static let maximumBytes = 16 << 20

    /// Returns the certificates of a PEM text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - place: The place of the text, for an error.
    /// - Returns: The certificates, in order.
    /// - Throws: `invalidConfiguration` if there is none, or if a block is no certificate. It has the block's number.
    static func certificates(inPEM text: [UInt8], _ place: String) throws(ApusError) -> [CertificateOutline] {
        let certificates = try blocks(of: text, place)
        guard !certificates.isEmpty else {
            throw ApusError(.invalidConfiguration, "\(place) has no certificate in PEM")
        }
        return certificates
    }

    /// Returns the certificates of a file, in PEM or DER.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - code: The code of the error if the file can't be read.
    /// - Returns: The certificates, in order.
    /// - Throws: `invalidConfiguration` if there is none, or if a block is no certificate.
    static func certificates(
        inFile path: String,
        unreadable code: ApusError.Code = .invalidConfiguration
    ) throws(ApusError) -> [CertificateOutline] {
        let certificates = try all(in: path, code)
        guard !certificates.isEmpty else {
            throw ApusError(.invalidConfiguration, "'\(path)' has no certificate in PEM or DER").with(fileAt: path)
        }
        return certificates
    }

    /// Returns the certificates of the files of a folder. Files without any are ignored.
    ///
    /// - Throws: `invalidConfiguration` if there is none, or if a block is no certificate.
    static func certificates(inFolder path: String) throws(ApusError) -> [CertificateOutline] {
        var certificates: [CertificateOutline] = []
        for file in try files(in: path) { certificates += try all(in: file, .invalidConfiguration) }
        guard !certificates.isEmpty else {
            throw ApusError(.invalidConfiguration, "no file in '\(path)' has a certificate in PEM or DER")
                .with(fileAt: path)
        }
        return certificates
    }

    /// Returns the certificates of a file of the system. Blocks that are no certificates are ignored.
    static func readableCertificates(inFile path: String) -> [CertificateOutline] {
        guard let bytes = try? read(path, .invalidConfiguration) else { return [] }
        if let certificate = CertificateOutline(derBytes: bytes) { return [certificate] }
        return PEMText.certificates(in: bytes).compactMap { $0 }
    }

    /// Returns the regular files of a folder, sorted. Hidden files are left out.
    static func files(in folder: String) throws(ApusError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw ApusError(.invalidConfiguration, "the folder '\(folder)' can't be read", underlying: error)
                .with(fileAt: folder)
        }
        let parent = folder.hasSuffix("/") ? folder : folder + "/"
        let paths = names.sorted().filter { !$0.hasPrefix(".") }.map { parent + $0 }
        // Only regular files have an identity.
        return paths.filter { (try? FileContent.identity(of: $0)) != nil }
    }

    private static func all(in path: String, _ code: ApusError.Code) throws(ApusError) -> [CertificateOutline] {
        let bytes = try read(path, code)
        if let certificate = CertificateOutline(derBytes: bytes) { return [certificate] }
        do throws(ApusError) {
            return try blocks(of: bytes, "'\(path)'")
        } catch {
            throw error.with(fileAt: path)
        }
    }

    private static func blocks(of text: [UInt8], _ place: String) throws(ApusError) -> [CertificateOutline] {
        var certificates: [CertificateOutline] = []
        for (index, block) in PEMText.certificates(in: text).enumerated() {
            guard let block else {
                throw ApusError(.invalidConfiguration, "block \(index + 1) of \(place) is no certificate")
            }
            certificates.append(block)
        }
        return certificates
    }

    private static func read(_ path: String, _ code: ApusError.Code) throws(ApusError) -> [UInt8] {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            data = try file.read(upToCount: maximumBytes + 1) ?? Data()
        } catch {
            throw ApusError(code, "'\(path)' can't be read", underlying: error).with(fileAt: path)
        }
        guard data.count <= maximumBytes else {
            throw ApusError(
                .invalidConfiguration,
                "'\(path)' has more than \(maximumBytes) bytes, too many for a file of certificates"
            )
            .with(fileAt: path)
        }
        return Array(data)
    }
}
