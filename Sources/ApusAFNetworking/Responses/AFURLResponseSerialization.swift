public import Apus
public import Foundation
public import HTTPTypes

/// Makes an object of an answer, says why it is refused, or both.
///
/// Types of your own conform to it; those that check status and content type like AFNetworking's do conform to
/// `AFHTTPResponseSerialization`.
public protocol AFURLResponseSerialization<ResponseObject>: Sendable {
    /// What it makes.
    associatedtype ResponseObject: Sendable

    /// What comes of an answer.
    ///
    /// It is called on the global executor, unless the session says `.onLoop`; it may block.
    ///
    /// - Parameters:
    ///   - response: The head of the answer.
    ///   - data: The content, decoded; empty where there was none, and for a download, whose content is in a file.
    /// - Returns: The object, the error, or both.
    func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<ResponseObject>
}

/// What a response serializer makes of an answer.
///
/// Both are there where the status was refused and the content is an explanation that could be parsed. Neither is where
/// there was nothing to parse, which is no error.
public struct AFSerializedResponse<Object: Sendable>: Sendable {
    /// What was made of the content.
    public let object: Object?
    /// Why the answer is refused, or its content could not be parsed. It has the head and the content of the answer.
    public let error: ApusError?

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - object: What was made of the content.
    ///   - error: Why the answer is refused; `nil` by default.
    public init(_ object: Object?, error: ApusError? = nil) {
        self.object = object
        self.error = error
    }

    /// Makes the result of code that throws.
    ///
    /// - Parameter make: Makes the object; what it throws that is no `ApusError` becomes the cause of one with the code
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
        wrapping(error) { ApusError(.serializerFailed, Redaction.text(String(describing: $0)), underlying: $0) }
    }
}
