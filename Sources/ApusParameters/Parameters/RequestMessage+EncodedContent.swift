internal import ApusCore
internal import ApusJSON
internal import Foundation

extension RequestMessage {
    /// Returns the request with the body from `encode`, or the unchanged request if `encode` returns `nil`.
    ///
    /// - Parameters:
    ///   - type: The content type, unless the request has one.
    ///   - encode: Encodes the parameters into a body.
    /// - Returns: The request.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`.
    func withContent(type: String, _ encode: () throws -> Data?) throws(ApusError) -> RequestMessage {
        var request = self
        do {
            guard let content = try encode() else { return self }
            request.setContent(content, type: type)
        } catch {
            throw EncodingFault.wrapping(error)
        }
        return request
    }
}
