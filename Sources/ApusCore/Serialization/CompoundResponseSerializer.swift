public import Foundation
public import HTTPTypes

/// Tries several serializers in order and uses the first one that succeeds.
///
/// ```swift
/// let serializer = CompoundResponseSerializer<User>([
///     DecodableResponseSerializer(decoder: PropertyListDecoder()),
///     DecodableResponseSerializer(),
/// ])
/// let request = session.request("https://api.example.org/users/1")
/// let user = try await request.serializingResponse(using: serializer).value
/// ```
///
/// If all of them fail, the error lists the reason of each.
public struct CompoundResponseSerializer<SerializedObject: Sendable>: ResponseSerializer {
    private let serializers: [any ResponseSerializer<SerializedObject>]

    /// Creates a serializer.
    ///
    /// - Parameter serializers: The serializers to try, in this order.
    public init(_ serializers: [any ResponseSerializer<SerializedObject>]) {
        self.serializers = serializers
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> SerializedObject {
        var failures: [any Error] = []
        for serializer in serializers {
            do {
                let data = try serializer.dataPreprocessor.preprocess(data)
                return try serializer.serialize(request: request, response: response, data: data)
            } catch {
                failures.append(error)
            }
        }
        let reasons = failures.map { ($0 as? ApusError)?.detail ?? Redaction.text(String(describing: $0)) }
        throw ApusError(
            .serializerFailed,
            reasons.isEmpty ? "there is no serializer to try" : reasons.joined(separator: "; "),
            underlying: failures.last
        )
    }
}
