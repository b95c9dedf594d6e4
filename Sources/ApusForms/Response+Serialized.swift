internal import ApusCore
internal import Foundation

extension Response {
    /// What a serializer of this room makes of the answer.
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
