public import ApusCore
internal import ApusJSON
internal import Foundation

/// Serializes parameters as a query by AFNetworking's rules.
///
/// Keys are sorted. A nested dictionary is written as `key[sub]=a`, an array as `key[]=a&key[]=b` in its order, and a
/// set as `key=a&key=b`, sorted. Null is written as its key alone, without an equals sign. Numbers and dates are
/// written as their `description`, Booleans as 1 and 0, data in Base64.
///
/// ```swift
/// let parameters: Parameters = ["name": "Ada", "tags": ["x", "y"], "draft": true, "parent": nil]
/// let query = try QueryStringSerializer.string(from: parameters)
/// print(query)  // draft=1&name=Ada&parent&tags%5B%5D=x&tags%5B%5D=y
/// ```
public enum QueryStringSerializer {
    /// These rules as an encoder, for use as `.urlEncodedForm(encoder: QueryStringSerializer.encoder)`.
    public static let encoder = URLEncodedFormEncoder(
        dateEncoding: .custom { try $0.withFourDigitYear().description },
        nilEncoding: .keyAlone
    )

    /// Serializes parameters as a query.
    ///
    /// - Parameter parameters: The parameters.
    /// - Returns: The percent-encoded query. Empty if there is no output.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed` if a number is not finite, or a value is nested
    ///   deeper than `URLEncodedFormEncoder.nestingLimit`.
    public static func string(from parameters: Parameters) throws(ApusError) -> String {
        try encoder.encode(parameters)
    }
}
