public import ApusCore
public import ApusTrust

/// The servers that a single transfer of a ``TransferQueue`` trusts: pinned keys, additional authorities, or both.
///
/// ```swift
/// let trust = try TransferTrust(pins: [pin], anchors: authority)
/// let archive = try Transfer("https://example.org/archive.zip", to: file, trust: trust)
/// ```
///
/// The queue keeps it on disk with the transfer, so that it counts in each process that performs the transfer. It
/// replaces the trust of the session for the requests of the transfer, and also its `ServerTrustManager`. The chain of
/// the server is always validated, and its certificate must name the host. A redirect to another origin has the trust
/// of the session, as with the option `ServerTrust`.
///
/// A trust that was damaged on the disk fails its transfer with `invalidConfiguration`, and no request is sent.
public struct TransferTrust: Sendable, Hashable {
    /// The public keys of which the server's chain must have one. Empty for any key. Default: empty.
    public let pins: [PublicKeyPin]
    /// The certificates in PEM in which the chain can end, beside the roots of the operating system. `nil` for none.
    /// Default: `nil`.
    public let anchors: String?

    /// Creates a trust.
    ///
    /// - Parameters:
    ///   - pins: The pinned keys, with the backups. Default: none, any key.
    ///   - anchors: The additional authorities in PEM. Default: `nil`, only those of the operating system.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if there are neither pins nor anchors, and if
    ///   `anchors` has no certificate or a malformed one.
    public init(pins: [PublicKeyPin] = [], anchors: String? = nil) throws(ApusError) {
        guard !pins.isEmpty || anchors != nil else {
            throw ApusError(.invalidConfiguration, "the trust of a transfer has neither pins nor anchors")
        }
        if let anchors { _ = try ServerCertificate.certificates(pem: anchors) }
        self.init(checked: pins, anchors)
    }

    private init(checked pins: [PublicKeyPin], _ anchors: String?) {
        self.pins = pins
        self.anchors = anchors
    }

    /// The trust of a transfer whose own one was damaged on the disk. It trusts no server.
    static let damaged = TransferTrust(checked: [], nil)

    /// The option of the requests.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the trust was damaged.
    var option: ServerTrust {
        get throws(ApusError) {
            guard self != .damaged else {
                throw ApusError(
                    .invalidConfiguration,
                    "the trust of the transfer was damaged on the disk",
                    hint: "remove the transfer, and add it again"
                )
            }
            var trust = ServerTrust()
            if let anchors { trust.roots = .all([.pem(anchors), .system]) }
            // Always an evaluator, since that of the session would count otherwise.
            if pins.isEmpty {
                trust.evaluator = DefaultTrustEvaluator()
            } else {
                trust.evaluator = PublicKeysTrustEvaluator(keys: pins)
            }
            return trust
        }
    }
}

extension TransferTrust: Codable {
    private enum Key: String, CodingKey {
        case pins, anchors
    }

    /// Reads a trust. The certificates are read with the first connection, which fails if they are malformed.
    ///
    /// - Throws: A `DecodingError` or an `ApusError` for a trust that is not whole.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        // A member that is not readable must not count as a missing one.
        let texts = try values.contains(.pins) ? values.decode([String].self, forKey: .pins) : []
        let anchors = try values.contains(.anchors) ? values.decode(String.self, forKey: .anchors) : nil
        guard !texts.isEmpty || anchors != nil && !values.contains(.pins) else {
            throw DecodingError.dataCorruptedError(forKey: .pins, in: values, debugDescription: "no pins or anchors")
        }
        self.init(checked: try texts.map { try PublicKeyPin($0) }, anchors)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        if !pins.isEmpty { try values.encode(pins.map(\.description), forKey: .pins) }
        try values.encodeIfPresent(anchors, forKey: .anchors)
    }
}

extension TransferTrust: CustomStringConvertible {
    /// The number of pins, and whether there are anchors.
    public var description: String { "\(pins.count) pins\(anchors == nil ? "" : ", with anchors")" }
}
