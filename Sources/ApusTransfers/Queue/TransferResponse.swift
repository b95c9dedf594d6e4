public import Foundation

/// The response to an upload of a ``TransferQueue``.
///
/// Its body may be a secret, so its description does not show it. The queue keeps it on disk until the transfer is
/// removed or forgotten.
public struct TransferResponse: Sendable, Hashable {
    /// The maximum number of bytes of a body: 65,536.
    public static let bodyLimitBytes = QueueLimits.responseBytes

    /// The status, from 200 to 299.
    public let status: Int
    /// The first bytes of the body, at most `bodyLimitBytes`. Empty if the body was forgotten.
    public let body: Data
    /// Whether the body has further bytes, which are not kept. The queue forgets the bodies of old responses beyond
    /// 4 MiB when its log is compacted.
    public let isTruncated: Bool

    init(status: Int, body: Data, isTruncated: Bool = false) {
        self.status = status
        self.body = Data(body.prefix(Self.bodyLimitBytes))
        self.isTruncated = isTruncated || body.count > Self.bodyLimitBytes
    }

    /// The response without its body.
    var withoutBody: TransferResponse {
        TransferResponse(status: status, body: Data(), isTruncated: isTruncated || !body.isEmpty)
    }
}

extension TransferResponse: Codable {
    private enum Key: String, CodingKey {
        case status, body, isTruncated
    }

    /// Reads a response.
    ///
    /// - Throws: A `DecodingError` if it is not whole.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            status: try values.decode(Int.self, forKey: .status),
            body: try values.decodeIfPresent(Data.self, forKey: .body) ?? Data(),
            isTruncated: try values.decodeIfPresent(Bool.self, forKey: .isTruncated) ?? false
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(status, forKey: .status)
        if !body.isEmpty { try values.encode(body, forKey: .body) }
        if isTruncated { try values.encode(true, forKey: .isTruncated) }
    }
}

// Reflection would print the body.
extension TransferResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the size of the body.
    public var description: String { "\(status) (\(body.count) bytes\(isTruncated ? " of more" : ""))" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
