public import ApusCore
internal import Foundation

/// Writes parameters as a query by AFNetworking's rules.
///
/// Keys are sorted. A dictionary in another is `key[sub]=a`, an array `key[]=a&key[]=b` in its order, a set
/// `key=a&key=b`, sorted. What is null is its key alone, without an equals sign. Numbers and dates are their
/// `description`, booleans 1 and 0, data is in Base64.
///
/// ```swift
/// let parameters: Parameters = ["name": "Ada", "tags": ["x", "y"], "draft": true, "parent": nil]
/// let query = try QueryStringSerializer.string(from: parameters)
/// print(query)  // draft=1&name=Ada&parent&tags%5B%5D=x&tags%5B%5D=y
/// ```
public enum QueryStringSerializer {
    /// The rules as an encoder: `.urlEncodedForm(encoder: QueryStringSerializer.encoder)` sends what they make.
    public static let encoder = URLEncodedFormEncoder(
        dateEncoding: .custom { try $0.withFourDigitYear().description },
        nilEncoding: .keyAlone
    )

    /// Writes parameters as a query.
    ///
    /// - Parameter parameters: The parameters.
    /// - Returns: The query, percent-encoded; empty where there is nothing to write.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`: a number is not finite, or something is nested
    ///   deeper than `URLEncodedFormEncoder.nestingLimit`.
    public static func string(from parameters: Parameters) throws(ApusError) -> String {
        try encoder.encode(parameters)
    }
}
