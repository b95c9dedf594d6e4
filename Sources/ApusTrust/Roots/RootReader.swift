internal import ApusCore
internal import Foundation

/// Reads the certificates of `ServerTrust.Roots`. Every function may block.
struct RootReader: Sendable {
    /// Returns the places of the roots of the system.
    let system: @Sendable () -> SystemRoots

    /// - Throws: `invalidConfiguration` if the roots can't be read or are empty.
    func certificates(of roots: ServerTrust.Roots) throws(ApusError) -> [CertificateOutline] {
        switch roots {
        case .system: return try system().certificates()
        case .file(let path): return try CertificateFile.certificates(inFile: path)
        case .folder(let path): return try CertificateFile.certificates(inFolder: path)
        case .pem(let text):
            return try CertificateFile.certificates(inPEM: Array(text.utf8), "the PEM text of the trust roots")
        case .all(let members):
            var certificates: [CertificateOutline] = []
            for member in members { certificates += try self.certificates(of: member) }
            guard !certificates.isEmpty else {
                throw ApusError(.invalidConfiguration, "the trust roots are an empty list, so no server is trusted")
            }
            return certificates
        }
    }

    /// Returns the state of the files of roots. Two equal stamps mean that no file has changed.
    func stamp(of roots: ServerTrust.Roots) -> RootStamp {
        var stamp = RootStamp()
        add(roots, to: &stamp)
        return stamp
    }

    private func add(_ roots: ServerTrust.Roots, to stamp: inout RootStamp) {
        switch roots {
        case .system:
            let places = system().places
            for file in places.files { stamp.add(file: file) }
            for folder in places.folders { stamp.add(folder: folder) }
        case .file(let path): stamp.add(file: path)
        case .folder(let path): stamp.add(folder: path)
        case .pem: break
        case .all(let members):
            for member in members { add(member, to: &stamp) }
        }
    }
}

/// The sizes and modification times of files, to find out whether they have changed.
struct RootStamp: Sendable, Equatable {
    private var files: [String: FileContent.Identity] = [:]

    /// Adds a file, unless it is missing or no regular file.
    mutating func add(file path: String) {
        files[path] = try? FileContent.identity(of: path)
    }

    /// Adds the files of a folder.
    mutating func add(folder path: String) {
        let files = (try? CertificateFile.files(in: path)) ?? []
        for file in files { add(file: file) }
    }
}
