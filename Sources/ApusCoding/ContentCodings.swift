internal import HTTPTypes

/// The content codings of a body, in the order in which they were applied.
///
/// See RFC 9110 §8.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4
struct ContentCodings: Sendable, Hashable {
    enum Coding: String, Sendable, Hashable {
        case gzip
        case deflate

        /// - Parameter name: The name in the header field, in any letter case.
        init?(_ name: some StringProtocol) {
            switch name.lowercased() {
            case "gzip", "x-gzip": self = .gzip
            case "deflate": self = .deflate
            default: return nil
            }
        }

        var format: Inflater.Format {
            switch self {
            case .gzip: .gzip
            case .deflate: .deflate
            }
        }
    }

    /// The codings, innermost first. Does not include `identity`.
    var applied: [Coding] = []

    init(_ applied: [Coding]) {
        self.applied = applied
    }

    /// Reads the `Content-Encoding` fields. Several fields form one list.
    ///
    /// - Returns: `nil` if one of the codings is unknown, since the body can't be decoded then.
    init?(_ fields: HTTPFields) {
        for value in fields[values: .contentEncoding] {
            for element in value.split(separator: ",") {
                let name = element.trimmingSpaces()
                if name.isEmpty || name.lowercased() == "identity" { continue }
                guard let coding = Coding(name) else { return nil }
                applied.append(coding)
            }
        }
    }
}

extension Substring {
    /// Returns the substring without surrounding optional whitespace (RFC 9110 §5.6.3).
    fileprivate func trimmingSpaces() -> Substring {
        var rest = self
        while let first = rest.utf8.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.utf8.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return rest
    }
}
