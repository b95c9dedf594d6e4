public import Apus
public import Foundation
public import HTTPTypes

/// Converts a response into an object, an error, or both.
///
/// Custom types can conform to it. Serializers that check the status and content type as in AFNetworking conform to
/// `AFHTTPResponseSerialization`.
public protocol AFURLResponseSerialization<ResponseObject>: Sendable {
    /// The type of the object.
    associatedtype ResponseObject: Sendable

    /// Returns the result of a response.
    ///
    /// Called on the global executor, unless the session is configured with `.eventLoop`. It may block.
    ///
    /// - Parameters:
    ///   - response: The response head.
    ///   - data: The decoded body. Empty if there is none, and for downloads, whose body is in a file.
    /// - Returns: The object, the error, or both.
    func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<ResponseObject>
}

/// The result of a response serializer.
///
/// It contains both an object and an error if the status is unacceptable but the body could be parsed. It contains
/// neither if there was nothing to parse, which is not an error.
public struct AFSerializedResponse<Object: Sendable>: Sendable {
    /// The object parsed from the body.
    public let object: Object?
    /// The reason why the response is rejected or its body cannot be parsed. Contains the response head and the body.
    public let error: ApusError?

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - object: The object parsed from the body.
    ///   - error: The reason why the response is rejected. Default: `nil`.
    public init(_ object: Object?, error: ApusError? = nil) {
        self.object = object
        self.error = error
    }

    /// Creates a result from a throwing closure.
    ///
    /// - Parameter make: Returns the object. If its error is not an `ApusError`, it is wrapped in one with the code
    ///   `serializerFailed`.
    public init(catching make: () throws -> Object?) {
        do {
            self.init(try make())
        } catch {
            self.init(nil, error: .ofSerializer(error))
        }
    }
}

extension ApusError {
    static func ofSerializer(_ error: any Error) -> ApusError {
        ApusError(wrapping: error, as: .serializerFailed)
    }
}
