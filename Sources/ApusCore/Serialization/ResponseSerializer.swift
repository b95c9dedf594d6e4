public import Foundation
public import HTTPTypes

/// Makes a value of a whole answer, collected in memory or in a file.
///
/// Serializers that come with the library run where the request runs, unless the content is long; your own run on the
/// global executor.
public protocol ResponseSerializer<SerializedObject>: DownloadResponseSerializer {
    /// What it makes.
    associatedtype SerializedObject

    /// Makes the value.
    ///
    /// - Parameters:
    ///   - request: What was sent, as the user asked for it.
    ///   - response: The head of the answer.
    ///   - data: The content of the answer, decoded and preprocessed.
    /// - Returns: The value.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `serializerFailed`.
    func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> SerializedObject

    /// What is done to the content before it is serialized; nothing by default.
    var dataPreprocessor: any DataPreprocessor { get }

    /// The statuses whose content may be empty; 204 and 205 by default.
    var emptyResponseCodes: Set<Int> { get }

    /// The methods whose answers may be empty; HEAD by default.
    var emptyRequestMethods: Set<HTTPRequest.Method> { get }
}

/// Makes a value of an answer that was downloaded into a file.
public protocol DownloadResponseSerializer<SerializedObject>: Sendable {
    /// What it makes.
    associatedtype SerializedObject: Sendable

    /// Makes the value. It may block.
    ///
    /// - Parameters:
    ///   - request: What was sent, as the user asked for it.
    ///   - response: The head of the answer.
    ///   - fileURL: Where the content is, decoded. Where retriers are asked afterwards the file still has a temporary name:
    ///     read it, and take the name from `DownloadResponse.fileURL`.
    /// - Returns: The value.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `serializerFailed`.
    func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> SerializedObject
}

/// Defaults that the serializers share.
public enum EmptyResponses {
    /// 204 (No Content) and 205 (Reset Content).
    public static let codes: Set<Int> = [204, 205]
    /// HEAD.
    public static let methods: Set<HTTPRequest.Method> = [.head]
}

extension ResponseSerializer {
    public var dataPreprocessor: any DataPreprocessor { PassthroughPreprocessor() }

    /// Reads the whole file and serializes what is in it.
    public func serializeDownload(
        request: RequestMessage,
        response: HTTPResponse,
        fileURL: URL
    ) throws -> SerializedObject {
        let data: Data
        do {
            data = try Data(contentsOf: fileURL)
        } catch {
            let path = fileURL.path(percentEncoded: false)
            throw ApusError(.downloadedFileUnreadable, "'\(path)' can't be read", underlying: error)
        }
        return try serialize(request: request, response: response, data: dataPreprocessor.preprocess(data))
    }

    public var emptyResponseCodes: Set<Int> { EmptyResponses.codes }

    public var emptyRequestMethods: Set<HTTPRequest.Method> { EmptyResponses.methods }

    /// Whether an answer may be empty.
    public func allowsEmptyResponse(to request: RequestMessage, _ response: HTTPResponse) -> Bool {
        emptyResponseCodes.contains(response.status.code) || emptyRequestMethods.contains(request.method)
    }

    /// Refuses an empty content where the answer has to have one.
    package func requireContent(
        request: RequestMessage,
        response: HTTPResponse,
        data: Data
    ) throws(ApusError) -> Bool {
        if !data.isEmpty { return true }
        guard allowsEmptyResponse(to: request, response) else {
            throw ApusError(
                .emptyBody,
                "a \(response.status.code) answer to \(request.method.rawValue) has to have content"
            )
        }
        return false
    }
}

/// Marks the serializers whose cost grows with the content alone, so that short contents need not leave the loop.
protocol BuiltInSerializer {}

/// The content as it is.
public struct DataResponseSerializer: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    public init(
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Data {
        _ = try requireContent(request: request, response: response, data: data)
        return data
    }
}

/// The content as a string: in the encoding that was asked for, else that of the `charset`, else UTF-8, and
/// ISO-8859-1 where it is no UTF-8.
///
/// The labels and encodings are those of the Encoding Standard, so that `ISO-8859-1` is windows-1252 as in browsers. A
/// charset that is not known, or that the system can't decode, is an error with the code `stringDecodingFailed`.
public struct StringResponseSerializer: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let encoding: String.Encoding?

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - encoding: The encoding, whatever the answer says; `nil` (the default) believes the answer.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    public init(
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) {
        self.encoding = encoding
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> String {
        guard try requireContent(request: request, response: response, data: data) else { return "" }
        return try CharacterSetDecoding.string(
            data,
            encoding: encoding,
            contentType: response.headerFields[.contentType]
        )
    }
}

/// The content decoded into a `Decodable` type.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let decoder: any DataDecoder

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - decoder: What decodes; `JSONContentDecoder` by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    public init(
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        decoder: any DataDecoder = JSONContentDecoder(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) {
        self.decoder = decoder
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Value {
        guard try requireContent(request: request, response: response, data: data) else {
            guard let empty = (Value.self as? any EmptyResponse.Type)?.emptyValue() as? Value else {
                throw ApusError(
                    .emptyBody,
                    "\(Value.self) can't be made of nothing; decode Empty or an EmptyResponse type"
                )
            }
            return empty
        }
        return try decoder.decodeReporting(Value.self, from: data)
    }
}

/// What decodes a `Decodable` type from bytes: `JSONContentDecoder`, Foundation's `JSONDecoder` and
/// `PropertyListDecoder`, and types of your own.
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension DataDecoder {
    /// Decodes, and says where in the content it failed.
    package func decodeReporting<Value: Decodable>(_ type: Value.Type, from data: Data) throws(ApusError) -> Value {
        do {
            return try decode(type, from: data)
        } catch {
            throw ApusError(
                .decodingFailed,
                "no \(Value.self) in it: \(DecodingFailure.describe(error))",
                underlying: error
            )
        }
    }
}

/// A type that can be made of an empty content.
public protocol EmptyResponse: Sendable {
    /// The value that an empty content means.
    static func emptyValue() -> Self
}

/// What an answer without content decodes to.
public struct Empty: EmptyResponse, Decodable, Hashable {
    /// The one value there is.
    public static let value = Empty()

    public static func emptyValue() -> Empty { value }
}
