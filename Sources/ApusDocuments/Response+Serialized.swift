internal import ApusCore
internal import Foundation

extension Response {
    /// Serializes the response with a serializer of this module.
    func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) throws(ApusError) -> Serializer.SerializedObject {
        do {
            return try serializer.serialize(request: request, response: head, data: data)
        } catch {
            throw about(ApusError.wrapping(error) { ApusError(.serializerFailed, "\(type(of: $0))", underlying: $0) })
        }
    }
}
