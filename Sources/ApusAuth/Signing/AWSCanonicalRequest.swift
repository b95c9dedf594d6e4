internal import ApusCore
internal import HTTPTypes

/// The canonical form of a request, which client and service both derive before they compute the signature.
struct AWSCanonicalRequest {
    /// Fields that proxies may change or that are added after signing. botocore excludes the same ones.
    private static let unsignedFields: Set<String> = [
        "authorization", "baggage", "connection", "expect", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade",
        "user-agent",
        "x-amzn-trace-id",
    ]

    let text: String
    /// The names of the signed fields, separated by semicolons.
    let signedFields: String

    /// - Parameters:
    ///   - method: The method.
    ///   - target: The target.
    ///   - fields: All fields.
    ///   - contentHash: The hash of the body, or its placeholder such as `UNSIGNED-PAYLOAD`.
    ///   - normalizesPath: Whether to remove empty and dot segments from the path and to encode it a second time.
    ///     Required for every service but S3, whose paths are object names.
    init(
        method: HTTPRequest.Method,
        target: TargetURI,
        fields: HTTPFields,
        contentHash: String,
        normalizesPath: Bool
    ) {
        // A Host field set by the request is sent unchanged.
        let host = fields.first { $0.name.canonicalName == "host" }?.value ?? target.authority
        var values: [String: [String]] = ["host": [host]]
        for field in fields where !Self.unsignedFields.contains(field.name.canonicalName) {
            let words = field.value.split { $0 == " " || $0 == "\t" }
            values[field.name.canonicalName, default: []].append(words.joined(separator: " "))
        }
        let names = values.keys.sorted()
        let parts = target.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? "/"
        signedFields = names.joined(separator: ";")
        text = [
            method.rawValue,
            normalizesPath ? Self.encodedAgain(Self.normalized(path)) : Self.encoded(path, but: "/"),
            Self.query(parts.count > 1 ? parts[1] : ""),
            names.map { "\($0):\(values[$0]?.joined(separator: ",") ?? "")\n" }.joined(),
            signedFields,
            contentHash,
        ].joined(separator: "\n")
    }

    private static func encodedAgain(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode(String($0)) }
            .joined(separator: "/")
    }

    /// Percent-encodes everything but unreserved characters and the `kept` ones. An existing percent-encoded triplet
    /// counts as the byte that it encodes.
    private static func encoded(_ text: some StringProtocol, but kept: String = "") -> String {
        let bytes = Array(text.utf8)
        var encoded = ""
        var index = 0
        while index < bytes.count {
            let piece = String(decoding: bytes[index..<min(index + 3, bytes.count)], as: UTF8.self)
            if piece.count == 3, piece.hasPrefix("%"), let byte = UInt8(piece.dropFirst(), radix: 16) {
                encoded += Self.written(byte)
                index += 3
            } else {
                let isKept = kept.utf8.contains(bytes[index])
                encoded += isKept ? String(UnicodeScalar(bytes[index])) : Self.written(bytes[index])
                index += 1
            }
        }
        return encoded
    }

    private static func written(_ byte: UInt8) -> String {
        byte < 0x80
            ? PercentEncoding.encode(String(UnicodeScalar(byte))) : "%" + [byte].hexadecimal.uppercased()
    }

    /// Removes dot segments and empty segments.
    private static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment != ".." { segments.append(segment) } else if !segments.isEmpty { segments.removeLast() }
        }
        return "/" + segments.joined(separator: "/") + (path.hasSuffix("/") && !segments.isEmpty ? "/" : "")
    }

    /// Returns the query sorted by name, then by value, with everything but unreserved characters encoded. A plus sign
    /// counts as a space, as in AWS services.
    private static func query(_ query: Substring) -> String {
        query.split(separator: "&")
            .map { pair -> (name: String, value: String) in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
                    encoded(part.replacing("+", with: " "))
                }
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }
            .sorted { $0 < $1 }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }
}
