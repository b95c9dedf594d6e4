internal import Foundation
internal import HTTPTypes

/// Computes the digest of a file while it is downloaded, and compares it with the expected one.
package final class DigestCheck: Sendable {
    private let digest: ContentDigest
    private let origin: ContentDigest.Origin
    private let stream: Lock<DigestStream>

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - digest: The expected digest.
    ///   - origin: Where the expected digest comes from.
    package init(_ digest: ContentDigest, from origin: ContentDigest.Origin) {
        self.digest = digest
        self.origin = origin
        self.stream = Lock(DigestStream(digest.algorithm))
    }

    /// Creates a check for the digest that a request expects, otherwise for the one in the response. `nil` if neither
    /// names a digest.
    convenience init?(for options: RequestOptions, _ fields: HTTPFields) {
        if let expected = options[ExpectedDigest.self] {
            self.init(expected.digest, from: .option)
        } else if let sent = ReprDigest(in: fields)?.preferred {
            self.init(sent, from: .field)
        } else {
            return nil
        }
    }

    /// Adds the bytes that a part has already.
    package func update(from part: PartialFile) async throws(ApusError) {
        guard part.byteCount > 0 else { return }
        try await part.readThrough { update($0) }
    }

    /// Adds bytes.
    @Sendable package func update(_ bytes: UnsafeRawBufferPointer) { stream.withLock { $0.update(bytes) } }

    /// The digest of all bytes so far.
    package var received: [UInt8] { stream.withLock { $0.finish() } }

    /// Throws `digestMismatch` if the bytes so far have another digest.
    func verify(_ file: URL) throws(ApusError) {
        let received = received
        guard received != digest.bytes else { return }
        throw digest.mismatch(with: received, of: file, from: origin)
    }
}
