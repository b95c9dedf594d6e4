internal import ApusJSON
package import Foundation
package import HTTPTypes

/// The result of a custom validator. The name is Alamofire's.
public typealias ValidationResult = Result<Void, any Error>

/// A condition on a response. Conditions on the head are checked before any of the body is collected.
package enum Validator: Sendable {
    case status(Range<Int>)
    case statusOneOf(Set<Int>)
    /// Calls user code, which may block.
    case statusIn(@Sendable (Int) -> Bool)
    /// Also calls user code. `nil` uses the request's own `Accept` field.
    case contentType((@Sendable () -> [String])?)
    /// Calls user code with the head.
    case customHead(@Sendable (RequestMessage, HTTPResponse) -> ValidationResult)
    case custom(@Sendable (RequestMessage, HTTPResponse, Data) -> ValidationResult)
    case customFile(@Sendable (RequestMessage, HTTPResponse, URL) -> ValidationResult)

    /// Whether the validator needs the body.
    var needsBody: Bool {
        switch self {
        case .custom, .customFile: true
        case .status, .statusOneOf, .statusIn, .contentType, .customHead: false
        }
    }

    /// Runs a validator of the body.
    func result(
        _ head: HTTPResponse,
        _ content: CollectedResponse.Content,
        _ request: RequestMessage
    ) -> ValidationResult {
        switch (self, content) {
        case (.custom(let validate), .memory(let data)): validate(request, head, data)
        case (.customFile(let validate), .file(let file)): validate(request, head, file.url)
        default: .success(())
        }
    }

    /// Runs a validator of the head. Returns `nil` if it accepts the response.
    func refusal(of response: borrowing ResponseMessage, to request: RequestMessage) -> ApusError? {
        switch self {
        case .status(let range):
            return Self.refusal(of: response.status, outside: range)
        case .statusOneOf(let codes):
            return codes.contains(response.status.code) ? nil : Self.unacceptable(response.status)
        case .statusIn(let accepts):
            return accepts(response.status.code) ? nil : Self.unacceptable(response.status)
        case .contentType(let types):
            // A request without an `Accept` field accepts any type.
            guard !response.body.isEmpty, types != nil || request.fields.contains(.accept) else { return nil }
            return MediaType.refusal(
                of: response.fields[.contentType],
                acceptable: types?() ?? MediaType.acceptable(by: request.fields)
            )
        case .customHead(let validate):
            let head = ResponseHead(status: response.status, fields: response.fields)
            guard case .failure(let error) = validate(request, head.response) else { return nil }
            return ApusError(wrapping: error, as: .validationFailed)
        case .custom, .customFile:
            return nil
        }
    }

    /// Returns the rejection of a status that is not in `range`.
    static func refusal(of status: HTTPResponse.Status, outside range: Range<Int>) -> ApusError? {
        range.contains(status.code) ? nil : unacceptable(status)
    }

    /// Returns the rejection of a status.
    static func unacceptable(_ status: HTTPResponse.Status) -> ApusError {
        let reason = status.reasonPhrase.isEmpty ? "" : " (\(Redaction.text(Excerpt.of(status.reasonPhrase))))"
        return ApusError(.unacceptableStatus, "the status is \(status.code)\(reason)")
    }
}
