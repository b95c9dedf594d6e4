#if !canImport(Darwin)
    extension SystemRoots {
        /// The bundles of the distributions: Debian, Fedora, openSUSE, RHEL, and Alpine or the BSDs.
        static let defaultFiles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        static let defaultFolders = ["/etc/ssl/certs", "/etc/pki/tls/certs", "/system/etc/security/cacerts"]
    }
#endif
