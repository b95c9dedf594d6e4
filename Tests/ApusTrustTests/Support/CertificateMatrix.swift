internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTrust
internal import Foundation

/// The cases of `Scripts/certificate-matrix`, which Go and OpenSSL have judged too.
///
/// They are read from the folder in `APUS_CERTIFICATE_MATRIX`. Without it, Python writes them to a temporary folder.
enum CertificateMatrix {
    /// A chain, the roots, and the expected verdict.
    struct Case: Sendable, Decodable {
        let name: String
        let group: String
        /// The name or IP address of the server.
        let host: String
        /// The time of verification, in seconds since 1970.
        let time: Double
        /// `accepted`, or the name of the expected rejection.
        let expected: String
        /// The presented certificates as PEM text, that of the server first.
        let chain: [String]
        /// The roots as PEM text.
        let roots: [String]
    }

    /// The script can't make the cases.
    struct Fault: Error {
        let output: String
    }

    static let groups = [
        "paths", "hosts", "validity", "basic constraints", "path length", "key usage", "purposes", "extensions",
        "name constraints", "algorithms", "versions", "encodings",
    ]

    /// All cases. They are made once.
    static let cases = Task<[Case], any Error> { try await make() }

    static var isAvailable: Bool { folder != nil || python != nil }

    private static let folder = ProcessInfo.processInfo.environment["APUS_CERTIFICATE_MATRIX"]

    private static let python: String? = {
        let paths = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private static let script: URL = {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appending(path: "Scripts/certificate-matrix")
    }()

    private static func make() async throws -> [Case] {
        if let folder { return try read(URL(filePath: folder)) }
        let temporary = try TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let target = temporary.url.path(percentEncoded: false)
        let command = "'\(python ?? "python3")' -B '\(script.path(percentEncoded: false))' '\(target)'"
        let outcome = try await Shell.run(command)
        guard outcome.status == 0 else { throw Fault(output: outcome.error) }
        return try read(temporary.url)
    }

    private static func read(_ folder: URL) throws -> [Case] {
        try JSONDecoder().decode([Case].self, from: Data(contentsOf: folder.appending(path: "cases.json")))
    }

    // MARK: Verdicts

    /// Returns the verdict of the path builder in the words of the matrix.
    static func verdict(on one: Case) throws -> String {
        let presented = one.chain.map { bytes(ofPEM: $0) }
        let roots = MatrixRoots(certificates: parsed(one.roots.map { bytes(ofPEM: $0) }))
        let leaf: ParsedCertificate
        do throws(CertificateRejection) {
            leaf = try ParsedCertificate(derBytes: presented.first ?? [])
        } catch {
            return word(for: error)
        }
        let result = try PathBuilder.build(
            leaf: leaf,
            presented: parsed(Array(presented.dropFirst())),
            anchors: roots,
            host: one.host,
            at: Date(timeIntervalSince1970: one.time)
        )
        switch result {
        case .success(let path):
            guard path.first == leaf, let last = path.last, roots.certificates.contains(last) else {
                return "accepted, but the path does not lead to a root"
            }
            return "accepted"
        case .failure(let rejection): return word(for: rejection)
        }
    }

    /// Leaves out certificates that can't be read, since a server may send anything.
    private static func parsed(_ certificates: [[UInt8]]) -> [ParsedCertificate] {
        certificates.compactMap { try? ParsedCertificate(derBytes: $0) }
    }

    private static func bytes(ofPEM text: String) -> [UInt8] {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return Data(base64Encoded: lines.joined()).map { Array($0) } ?? []
    }

    private static func word(for rejection: CertificateRejection) -> String {
        switch rejection {
        case .expired: "expired"
        case .notYetValid: "notYetValid"
        case .selfSigned: "selfSigned"
        case .untrustedAuthority: "untrustedAuthority"
        case .wrongHost: "wrongHost"
        case .notForServers: "notForServers"
        case .invalidSignature: "invalidSignature"
        case .weak: "weak"
        case .unknownCriticalExtension: "unknownCriticalExtension"
        case .nameNotPermitted: "nameNotPermitted"
        case .notAnAuthority: "notAnAuthority"
        case .chainTooLong: "chainTooLong"
        case .malformed: "malformed"
        case .authority(subject: _, let inner): "authority.\(word(for: inner))"
        default: "other"
        }
    }
}

/// The roots of a case.
private struct MatrixRoots: AnchorSource {
    let certificates: [ParsedCertificate]

    func anchors(named subject: [UInt8]) throws(ApusError) -> [ParsedCertificate] {
        certificates.filter { $0.subjectBytes == subject }
    }

    func contains(_ certificate: [UInt8]) throws(ApusError) -> Bool {
        certificates.contains { $0.derBytes == certificate }
    }
}
