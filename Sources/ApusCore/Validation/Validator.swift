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
    case custom(@Sendable (RequestMessage, HTTPResponse, Data) -> ValidationResult)
    case customFile(@Sendable (RequestMessage, HTTPResponse, URL) -> ValidationResult)

    /// Whether the validator needs the body.
    var needsBody: Bool {
        switch self {
        case .custom, .customFile: true
        case .status, .statusOneOf, .statusIn, .contentType: false
        }
    }

    /// Runs a validator of the body.
    fileprivate func result(
        _ head: HTTPResponse,
        _ content: CollectedContent,
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
            return range.contains(response.status.code) ? nil : Self.unacceptable(response.status)
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
        case .custom, .customFile:
            return nil
        }
    }

    private static func unacceptable(_ status: HTTPResponse.Status) -> ApusError {
        let reason = status.reasonPhrase.isEmpty ? "" : " (\(Redaction.text(Excerpt.of(status.reasonPhrase))))"
        return ApusError(.unacceptableStatus, "the status is \(status.code)\(reason)")
    }
}

/// The validators of one request, in the order in which they were added. The first rejection counts.
package struct Validation: Sendable {
    private var head: [Validator] = []
    private var body: [Validator] = []
    /// Whether validating the head may block.
    private(set) var mayBlock = false

    package init() {}

    package static let none = Validation()

    /// The validators of `validate()`: the status, and the content type if the request has an `Accept` field.
    static let ofSuccess = {
        var validation = Validation()
        validation.append(.status(200..<300))
        validation.append(.contentType(nil))
        return validation
    }()

    mutating func append(contentsOf other: Validation) {
        guard !isEmpty else {
            self = other
            return
        }
        head += other.head
        body += other.body
        mayBlock = mayBlock || other.mayBlock
    }

    package mutating func append(_ validator: Validator) {
        if validator.needsBody { body.append(validator) } else { head.append(validator) }
        switch validator {
        case .statusIn, .contentType(.some): mayBlock = true
        case .status, .statusOneOf, .contentType(nil), .custom, .customFile: break
        }
    }

    var isEmpty: Bool { head.isEmpty && body.isEmpty }

    /// Returns the first rejection of the head.
    func refusal(of response: borrowing ResponseMessage, to request: RequestMessage) -> ApusError? {
        for validator in head {
            if let refusal = validator.refusal(of: response, to: request) { return refusal }
        }
        return nil
    }

    var hasBodyStage: Bool { !body.isEmpty }

    /// Returns the first rejection by a validator of the body.
    func refusal(of head: HTTPResponse, content: CollectedContent, to request: RequestMessage) -> ApusError? {
        for validator in body {
            if case .failure(let error) = validator.result(head, content, request) {
                return ApusError(wrapping: error, as: .validationFailed)
            }
        }
        return nil
    }
}
