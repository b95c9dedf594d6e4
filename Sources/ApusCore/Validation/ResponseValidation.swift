/// The responses that a request accepts. All others fail when their head has arrived, before their body is collected.
///
/// ```swift
/// let response = try await session.get(url, options: [ResponseValidation.success])
/// ```
///
/// A rejected response is an error with the code `unacceptableStatus` or `unacceptableContentType`. The error has the
/// head, and the body received within `timeouts.errorBody`, up to `limits.errorBodyBytes`.
///
/// The validators of a handle, such as `validate()`, run in addition.
public struct ResponseValidation: RequestOption, IncidentalOption {
    let validation: Validation

    /// Accepts all responses.
    public static let off = ResponseValidation(validation: .none)

    /// Accepts statuses from 200 to 299, with a content type that the request accepts if it has an `Accept` field.
    public static let success = ResponseValidation(validation: .ofSuccess)

    private init(validation: Validation) {
        self.validation = validation
    }

    /// Accepts some statuses and content types.
    ///
    /// - Parameters:
    ///   - statusCodes: The acceptable statuses.
    ///   - contentTypes: The acceptable content types, with wildcards such as `text/*`. `nil` accepts all. Default: `nil`.
    public init(statusCodes: some Collection<Int>, contentTypes: [String]? = nil) {
        var validation = Validation()
        if let range = statusCodes as? Range<Int> {
            validation.append(.status(range))
        } else {
            validation.append(.statusOneOf(Set(statusCodes)))
        }
        if let contentTypes { validation.append(.contentType { contentTypes }) }
        self.validation = validation
    }
}
