#if canImport(Darwin)
    // The roots of Apple systems are in a keychain that only Security.framework reads, with rules of its own, so the
    // engine leaves `ServerTrust.Roots.system` to the TLS library there. macOS also has most of them as a file. It is
    // used by evaluators that ask for the roots of the system. Other Apple systems have no such file.
    extension SystemRoots {
        static let defaultFiles = ["/etc/ssl/cert.pem"]
        static let defaultFolders: [String] = []
    }
#endif
