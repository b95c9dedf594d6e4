internal import ApusCore
internal import HTTPTypes

/// A request in the one form that both sides make of it before they sign.
struct AWSCanonicalRequest {
    /// Fields that change on the way, or are not there yet: botocore leaves out the same.
    private static let unsignedFields: Set<String> = [
        "authorization", "baggage", "connection", "expect", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade",
        "user-agent",
        "x-amzn-trace-id",
    ]

    let text: String
    /// The names of the fields that are signed.
    let signedFields: String

    /// - Parameters:
    ///   - method: The method.
    ///   - target: The target.
    ///   - fields: All fields.
    ///   - contentHash: The hash of the content, or what stands in its place.
    ///   - normalizesPath: Whether the path is freed of empty segments and dots, and encoded once more: everywhere but for
    ///     S3, whose paths are names.
    init(
        method: HTTPRequest.Method,
        target: TargetURI,
        fields: HTTPFields,
        contentHash: String,
        normalizesPath: Bool
    ) {
        // A Host field of the request's own is what goes out.
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

    /// With everything percent-encoded but unreserved characters and those that are named; what is encoded already counts
    /// as the byte that it means.
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

    /// Without dots and empty segments.
    private static func normalized(_ path: String) -> String {
        var segments: [Substring] = []
        for segment in path.split(separator: "/") where segment != "." {
            if segment != ".." { segments.append(segment) } else if !segments.isEmpty { segments.removeLast() }
        }
        return "/" + segments.joined(separator: "/") + (path.hasSuffix("/") && !segments.isEmpty ? "/" : "")
    }

    /// Sorted by names and then by values, each encoded but for unreserved characters. A plus sign is a space, as the
    /// services read it.
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
