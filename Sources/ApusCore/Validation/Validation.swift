internal import HTTPTypes

/// The validators of one request, in the order in which they were added. The first rejection counts.
package struct Validation: Sendable {
    private var head: [Validator] = []
    private var body: [Validator] = []
    /// The observers of each head, whatever the validators decide.
    private var observers: [ResponseObserver] = []
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
        observers += other.observers
        mayBlock = mayBlock || other.mayBlock
    }

    package mutating func append(_ validator: Validator) {
        if validator.needsBody { body.append(validator) } else { head.append(validator) }
        switch validator {
        case .statusIn, .contentType(.some), .customHead: mayBlock = true
        case .status, .statusOneOf, .contentType(nil), .custom, .customFile: break
        }
    }

    /// Whether a validator checks the status.
    var checksStatus: Bool {
        head.contains { validator in
            switch validator {
            case .status, .statusOneOf, .statusIn: true
            case .contentType, .customHead, .custom, .customFile: false
            }
        }
    }

    var isEmpty: Bool { head.isEmpty && body.isEmpty && observers.isEmpty }

    /// Whether a validator has a closure of the user, or there are observers.
    var hasClosures: Bool { mayBlock || hasBodyStage || !observers.isEmpty }

    /// Returns the first rejection of the head.
    func refusal(of response: borrowing ResponseMessage, to request: RequestMessage) -> ApusError? {
        for validator in head {
            if let refusal = validator.refusal(of: response, to: request) { return refusal }
        }
        return nil
    }

    var hasBodyStage: Bool { !body.isEmpty }

    // MARK: Observers

    mutating func append(_ observer: ResponseObserver) { observers.append(observer) }

    /// Reports the head of a response to the observers.
    func report(_ response: borrowing ResponseMessage) {
        guard !observers.isEmpty else { return }
        let head = response.head
        for observer in observers { observer.report(head) }
    }

    /// Reports the end of the request to the observers.
    func endObservers() { for observer in observers { observer.end() } }

    /// Returns the first rejection by a validator of the body.
    func refusal(of head: HTTPResponse, content: CollectedResponse.Content, to request: RequestMessage) -> ApusError? {
        for validator in body {
            if case .failure(let error) = validator.result(head, content, request) {
                return ApusError(wrapping: error, as: .validationFailed)
            }
        }
        return nil
    }
}
