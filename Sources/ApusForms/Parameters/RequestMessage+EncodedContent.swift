internal import ApusCore
internal import Foundation

extension RequestMessage {
    /// The request with the content that `encode` makes; the request itself where it makes none.
    ///
    /// - Parameters:
    ///   - type: The type of the content, where the request names none.
    ///   - encode: Makes the content of parameters.
    /// - Returns: The request.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`.
    func withContent(type: String, _ encode: () throws -> Data?) throws(ApusError) -> RequestMessage {
        var request = self
        do {
            guard let content = try encode() else { return self }
            request.setContent(content, type: type)
        } catch {
            throw ParameterFault.wrapping(error)
        }
        return request
    }
}
