public import Foundation
public import HTTPTypes

/// Asks several serializers in turn; the first that makes a value of the answer counts.
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
/// Where none does, the error names what each of them said.
public struct CompoundResponseSerializer<SerializedObject: Sendable>: ResponseSerializer {
    private let serializers: [any ResponseSerializer<SerializedObject>]

    /// Makes a serializer.
    ///
    /// - Parameter serializers: Whom to ask, in this order.
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
            reasons.isEmpty ? "there is no serializer to ask" : reasons.joined(separator: "; "),
            underlying: failures.last
        )
    }
}
