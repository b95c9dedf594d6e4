internal import ApusJSON

/// Describes in one sentence where decoding a `Decodable` failed.
package enum DecodingFailure {
    package static func describe(_ error: any Error) -> String {
        guard let error = error as? DecodingError else {
            return Excerpt.sentence(Redaction.text(String(describing: error)))
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "the key \(Excerpt.quoted(key.stringValue)) is missing\(place(context))"
        case .valueNotFound(let type, let context): return "a \(type) is missing\(place(context))"
        case .typeMismatch(let type, let context): return "there is no \(type)\(place(context))"
        case .dataCorrupted(let context): return "\(Excerpt.sentence(context.debugDescription))\(place(context))"
        @unknown default: return Excerpt.sentence(String(describing: error))
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        " at \(context.codingPath.isEmpty ? "the top" : Excerpt.path(context.codingPath))"
    }
}
