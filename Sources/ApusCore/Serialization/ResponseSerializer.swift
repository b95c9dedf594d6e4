public import ApusJSON
public import Foundation
public import HTTPTypes

/// Converts a complete response, collected in memory or in a file, to a value.
///
/// Built-in serializers run where the request runs, unless the body is long. Custom serializers run on the global
/// executor by default.
public protocol ResponseSerializer<SerializedObject>: DownloadResponseSerializer {
    /// The type of the value.
    associatedtype SerializedObject

    /// Converts a response to a value.
    ///
    /// - Parameters:
    ///   - request: The request as the user created it.
    ///   - response: The response head.
    ///   - data: The response body, decoded and preprocessed.
    /// - Returns: The value.
    /// - Throws: Any error. Errors other than `ApusError` are wrapped in one with the code `serializerFailed`.
    func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> SerializedObject

    /// Transforms the body before it is serialized. Default: no transformation.
    var dataPreprocessor: any DataPreprocessor { get }

    /// The statuses whose responses may be empty. Default: 204 and 205.
    var emptyResponseCodes: Set<Int> { get }

    /// The methods whose responses may be empty. Default: HEAD.
    var emptyRequestMethods: Set<HTTPRequest.Method> { get }
}

/// Converts a response that was downloaded to a file to a value.
public protocol DownloadResponseSerializer<SerializedObject>: Sendable {
    /// The type of the value.
    associatedtype SerializedObject: Sendable

    /// Converts a downloaded response to a value. May block.
    ///
    /// - Parameters:
    ///   - request: The request as the user created it.
    ///   - response: The response head.
    ///   - fileURL: The decoded body. If a retrier may still repeat the request, the file has a temporary name: read
    ///     the file, but take its final name from `DownloadResponse.fileURL`.
    /// - Returns: The value.
    /// - Throws: Any error. Errors other than `ApusError` are wrapped in one with the code `serializerFailed`.
    func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> SerializedObject
}

/// Default values shared by the serializers.
public enum EmptyResponses {
    /// The statuses 204 (No Content) and 205 (Reset Content).
    public static let codes: Set<Int> = [204, 205]
    /// The method HEAD.
    public static let methods: Set<HTTPRequest.Method> = [.head]
}

extension ResponseSerializer {
    public var dataPreprocessor: any DataPreprocessor { PassthroughPreprocessor() }

    /// Reads the whole file and serializes it.
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
                .with(file: fileURL)
        }
        return try serialize(request: request, response: response, data: dataPreprocessor.preprocess(data))
    }

    public var emptyResponseCodes: Set<Int> { EmptyResponses.codes }

    public var emptyRequestMethods: Set<HTTPRequest.Method> { EmptyResponses.methods }

    /// Whether the response may be empty.
    public func allowsEmptyResponse(to request: RequestMessage, _ response: HTTPResponse) -> Bool {
        emptyResponseCodes.contains(response.status.code) || emptyRequestMethods.contains(request.method)
    }

    /// Returns whether there is a body. Throws if it is empty but must not be.
    package func requireContent(
        request: RequestMessage,
        response: HTTPResponse,
        data: Data
    ) throws(ApusError) -> Bool {
        if !data.isEmpty { return true }
        guard allowsEmptyResponse(to: request, response) else {
            throw ApusError(
                .emptyBody,
                "a \(response.status.code) response to \(request.method.rawValue) must have a body",
                hint: "allow that with emptyResponseCodes: [\(response.status.code)]"
            )
        }
        return false
    }
}

/// A serializer whose cost depends on the body size alone, so that it handles short bodies on the event loop.
protocol BuiltInSerializer {}

/// Returns the response body unchanged.
public struct DataResponseSerializer: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Transforms the body first. Default: no transformation.
    ///   - emptyResponseCodes: The statuses whose responses may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may be empty. Default: HEAD.
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

/// Decodes the response body as a string: in the given encoding, or else in that of the `charset`, or else as UTF-8, or
/// else as ISO-8859-1.
///
/// Labels and encodings follow the Encoding Standard, so `ISO-8859-1` means windows-1252, as in browsers. An unknown or
/// unsupported charset throws an error with the code `stringDecodingFailed`.
public struct StringResponseSerializer: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let encoding: String.Encoding?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Transforms the body first. Default: no transformation.
    ///   - encoding: The encoding, overriding that of the response. Default: `nil`, which uses that of the response.
    ///   - emptyResponseCodes: The statuses whose responses may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may be empty. Default: HEAD.
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

/// Decodes the response body as a `Decodable` type.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let decoder: any DataDecoder

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Transforms the body first. Default: no transformation.
    ///   - decoder: Decodes the value. Default: `JSONContentDecoder`.
    ///   - emptyResponseCodes: The statuses whose responses may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may be empty. Default: HEAD.
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
                    "\(Value.self) can't be decoded from an empty body; decode Empty or an EmptyResponse type"
                )
            }
            return empty
        }
        return try decoder.decodeReporting(Value.self, from: data)
    }
}

/// Decodes `Decodable` types from bytes. Implemented by `JSONContentDecoder`, by Foundation's `JSONDecoder` and
/// `PropertyListDecoder`, and by custom types.
public protocol DataDecoder: Sendable {
    /// Decodes a value.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONContentDecoder: DataDecoder {}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension DataDecoder {
    /// Decodes a value. An error states its location in the data, which the error calls `subject`.
    package func decodeReporting<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        subject: String = "it"
    ) throws(ApusError) -> Value {
        do {
            return try decode(type, from: data)
        } catch {
            throw ApusError(
                .decodingFailed,
                "\(subject) is not a valid \(Value.self): \(DecodingFailure.describe(error))",
                underlying: error
            )
        }
    }
}

/// A type that has a value for an empty body.
public protocol EmptyResponse: Sendable {
    /// Returns the value of an empty body.
    static func emptyValue() -> Self
}

/// The value decoded from a response without a body.
public struct Empty: EmptyResponse, Decodable, Hashable {
    /// The only value of this type.
    public static let value = Empty()

    public static func emptyValue() -> Empty { value }
}
