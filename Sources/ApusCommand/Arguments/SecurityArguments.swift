internal import Apus

/// The values of the TLS flags, apart from `--verify`.
struct SecurityArguments: Equatable {
    /// The versions that `--ssl` can require.
    enum Version: String, CaseIterable {
        case tls12 = "tls1.2"
        case tls13 = "tls1.3"

        var version: TLSVersion {
            switch self {
            case .tls12: .v12
            case .tls13: .v13
            }
        }
    }

    /// The file of the client's certificate.
    var certificate: String?
    /// The file of its key, if the file of the certificate does not have it.
    var key: String?
    var passphrase: String?
    /// The only version of TLS that is used.
    var version: Version?
    /// The cipher suites of TLS 1.2.
    var cipherSuites: [String]?
    /// The public keys of which the server's chain must have one.
    var pins: [PublicKeyPin] = []
    /// The file of the hosts that are requested over https only.
    var hsts: String?

    /// Throws if a flag needs another one.
    func check() throws(CommandFault) {
        guard certificate == nil else { return }
        if key != nil { throw CommandFault("--cert-key needs the certificate of the key; add --cert FILE") }
        if passphrase != nil { throw CommandFault("--cert-key-pass needs a certificate; add --cert FILE") }
    }
}
