internal import ApusCore
internal import Foundation

/// The places of the roots of the operating system.
///
/// The variable `SSL_CERT_FILE` replaces the files, and `SSL_CERT_DIR` the folders, which are separated by colons, as
/// in OpenSSL and Go. If one of them is set, both files and folders are read. Otherwise the first file that has roots
/// is enough, and folders are read only if there is none.
struct SystemRoots: Sendable {
    /// The files, of which the first one with a certificate counts.
    let files: [String]
    /// The folders, all of which count if they are read.
    let folders: [String]
    /// Whether the folders are read even if a file has roots.
    let readsFolders: Bool

    /// - Parameter environment: The variables of the environment.
    init(environment: [String: String]) {
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let folders = environment["SSL_CERT_DIR"].flatMap { $0.isEmpty ? nil : $0 }
        self.init(
            files: file.map { [$0] } ?? Self.defaultFiles,
            folders: folders.map { $0.split(separator: ":").map(String.init) } ?? Self.defaultFolders,
            readsFolders: file != nil || folders != nil
        )
    }

    init(files: [String], folders: [String], readsFolders: Bool) {
        self.files = files
        self.folders = folders
        self.readsFolders = readsFolders
    }

    /// Returns the roots. It may block. Blocks and files that are no certificates are ignored.
    ///
    /// - Throws: `invalidConfiguration` if there is none.
    func certificates() throws(ApusError) -> [CertificateOutline] {
        var found: [CertificateOutline] = []
        for file in files {
            found = CertificateFile.readableCertificates(inFile: file)
            if !found.isEmpty { break }
        }
        if found.isEmpty || readsFolders {
            for folder in folders {
                let files = (try? CertificateFile.files(in: folder)) ?? []
                for file in files { found += CertificateFile.readableCertificates(inFile: file) }
            }
        }
        guard !found.isEmpty else {
            let places = (files + folders).joined(separator: ", ")
            throw ApusError(
                .invalidConfiguration,
                "the roots of the system were not found in \(places.isEmpty ? "any place" : places)",
                hint: "install the package ca-certificates, set SSL_CERT_FILE, or set trust.roots"
            )
        }
        return found
    }

    /// The files and folders on which the roots depend.
    var places: (files: [String], folders: [String]) {
        let hasFile = files.contains { (try? FileContent.identity(of: $0)) != nil }
        return (files, readsFolders || !hasFile ? folders : [])
    }
}
