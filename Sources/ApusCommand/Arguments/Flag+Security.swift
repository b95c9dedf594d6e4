internal import Apus

extension Flag {
    /// The flags that control TLS.
    static let security: [Flag] = [
        Flag(
            nil,
            "verify",
            Value(name: "yes|no|path", isFile: true, takesDashes: true),
            "Verification of the server: yes, no, or a PEM file or folder of authorities. (default: yes)"
        ) { $0.verification = Invocation.Verification($1) },
        Flag(
            nil,
            "pin",
            .word("sha256//base64"),
            """
            Requires that the server's chain has this public key. Several are separated by semicolons, as in curl's \
            --pinnedpubkey.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.security.pins += try pins(text)
        },
        Flag(
            nil,
            "cert",
            .file(),
            "The client's certificate, as PEM or PKCS#12 (.p12, .pfx), for servers that ask for one."
        ) { $0.security.certificate = $1 },
        Flag(nil, "cert-key", .file(), "Its private key in PEM, if the file of --cert does not have it.") {
            $0.security.key = $1
        },
        Flag(
            nil,
            "cert-key-pass",
            .text("passphrase"),
            "The passphrase of an encrypted key. Without it, the terminal asks."
        ) { $0.security.passphrase = $1 },
        Flag(
            nil,
            "ssl",
            .choice("version", SecurityArguments.Version.self),
            "Uses exactly this version of TLS. By default the server chooses."
        ) { invocation, text throws(CommandFault) in
            invocation.security.version = try choice(text, of: "--ssl")
        },
        Flag(
            nil,
            "ciphers",
            .word("names"),
            """
            The cipher suites of TLS 1.2 to offer, by their IANA names, separated by commas or colons. Those of TLS 1.3 \
            can't be chosen.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.security.cipherSuites = try cipherSuites(text)
        },
        Flag(
            nil,
            "hsts",
            .file(),
            """
            Requests the hosts in this file over https only, and adds the hosts that ask for that (HSTS), in curl's \
            format.
            """
        ) { $0.security.hsts = $1 },
    ]

    private static func pins(_ text: String) throws(CommandFault) -> [PublicKeyPin] {
        var pins: [PublicKeyPin] = []
        for pin in text.split(separator: ";") {
            do throws(ApusError) {
                pins.append(try PublicKeyPin(String(pin)))
            } catch {
                throw CommandFault("--pin: \(error.detail)")
            }
        }
        guard !pins.isEmpty else { throw CommandFault("--pin needs sha256// and the hash of a public key in Base64") }
        return pins
    }

    private static func cipherSuites(_ text: String) throws(CommandFault) -> [String] {
        let names = text.split { $0 == "," || $0 == ":" }.map(String.init)
        guard !names.isEmpty else { throw CommandFault("--ciphers needs the names of cipher suites") }
        return names
    }
}
