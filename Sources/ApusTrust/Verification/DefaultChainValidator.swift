package import ApusCore
package import Foundation

/// Validates chains with a `PathBuilder` and the roots of a `RootStore`.
package struct DefaultChainValidator: ChainValidator {
    private let store: RootStore

    /// - Parameter store: The roots. Default: those of all sessions.
    package init(store: RootStore = .shared) {
        self.store = store
    }

    package func validate(
        _ certificates: [ServerCertificate],
        host: String?,
        roots: ServerTrust.Roots,
        at date: Date
    ) async throws(ApusError) -> [ServerCertificate] {
        let index = try await store.index(for: roots)
        guard let first = certificates.first else {
            throw CertificateRejection.malformed("none was presented").error(for: host)
        }
        let leaf: ParsedCertificate
        do throws(CertificateRejection) {
            leaf = try first.parsed()
        } catch {
            throw error.error(for: host)
        }
        // A certificate that can't be parsed helps no path.
        let others = certificates.dropFirst().compactMap { try? $0.parsed() }
        switch try PathBuilder.build(leaf: leaf, presented: others, anchors: index, host: host, at: date) {
        case .success(let path): return path.map { ServerCertificate($0) }
        case .failure(let rejection): throw rejection.error(for: host)
        }
    }
}
