internal import ApusCore
internal import ApusJSON

extension EncodingFault {
    static let notFinite = EncodingFault("is not a finite number, which a form can't represent")

    /// Returns the error for a value at `path`.
    func at(_ path: [any CodingKey]) -> ApusError { ApusError(self, at: path) }

    /// Returns the error for encoding that threw at `path`. An error that already names its path is unchanged.
    static func wrapping(_ error: any Error, at path: [any CodingKey] = []) -> ApusError {
        switch error {
        case let error as ApusError where error.code == .parameterEncodingFailed:
            return error
        case let fault as EncodingFault:
            return fault.at(path)
        case EncodingError.invalidValue(let value, let context):
            let place = place(context.codingPath.isEmpty ? path : context.codingPath)
            return failure(
                "the value\(place) can't be encoded: \(context.debugDescription)",
                // Only its type is kept: the value may be a secret, and Foundation can't print an invalid date.
                context.underlyingError ?? EncodingError.invalidValue(type(of: value), context)
            )
        default:
            return failure("encoding the value\(place(path)) threw \(error)", error)
        }
    }

    private static func failure(_ detail: String, _ error: any Error) -> ApusError {
        ApusError(.parameterEncodingFailed, Redaction.text(detail), underlying: error)
    }
}
