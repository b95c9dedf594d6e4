public import ApusJSON
public import Foundation
public import HTTPTypes

/// A request whose response can be serialized: a ``DataRequest`` or a ``DownloadRequest``.
///
/// Each serializer has two methods. `response…` calls a completion handler, exactly once. `serializing…` starts the
/// request and returns a task whose value can be awaited any number of times.
///
/// ## Common parameters
/// - `queue`: The queue that the completion handler is called on. On Linux, `.main` runs only under an async `main`,
///   `dispatchMain()` or a `RunLoop`. Default: `.main`.
/// - `completionHandler`: Called exactly once.
/// - `automaticallyCancelling`: Whether cancelling the awaiting task cancels the request. Default: `true`.
/// - `dataPreprocessor`: Transforms the body before it is serialized. Default: `.passthrough`.
/// - `emptyResponseCodes`: The status codes that allow an empty body. Default: 204 and 205.
/// - `emptyRequestMethods`: The methods whose responses may have an empty body. Default: HEAD.
public protocol SerializableRequest: Request {
    /// The type of the received body: `Data` in memory, or the `URL` of a file.
    associatedtype Body
}

extension SerializableRequest {
    /// Serializes the response and passes the value to a completion handler.
    ///
    /// - Parameters:
    ///   - queue: The queue that `completionHandler` is called on. Default: `.main`.
    ///   - responseSerializer: The serializer that produces the value. Not called if the request failed.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        queue: DispatchQueue = .main,
        responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (SerializedResponse<Serializer.SerializedObject, Body>) -> Void
    ) -> Self {
        task.respond(on: queue, with: responseSerializer, completionHandler)
        return self
    }

    /// Returns a task that serializes the response. Starts the request.
    ///
    /// - Parameters:
    ///   - serializer: The serializer that produces the value. Not called if the request failed.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    /// - Returns: A task whose value can be awaited any number of times.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer,
        automaticallyCancelling: Bool = true
    ) -> SerializingTask<Serializer.SerializedObject, Body> {
        task.serializing(with: serializer, automaticallyCancelling: automaticallyCancelling)
    }
}

// The methods for `Data` and `String` are specialized: as generic code they cost 2 µs more on each request.
extension SerializableRequest {
    /// Passes the response body to a completion handler. ``SerializableRequest`` describes the parameters.
    @discardableResult
    @_specialize(where Self == DataRequest)
    public func responseData(
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        completionHandler: @escaping @Sendable (SerializedResponse<Data, Body>) -> Void
    ) -> Self {
        let serializer = DataResponseSerializer(
            dataPreprocessor: dataPreprocessor,
            emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods
        )
        return response(queue: queue, responseSerializer: serializer, completionHandler: completionHandler)
    }

    /// Returns a task that provides the response body. Starts the request. ``SerializableRequest`` describes the
    /// parameters.
    @_specialize(where Self == DataRequest)
    public func serializingData(
        automaticallyCancelling: Bool = true,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) -> SerializingTask<Data, Body> {
        let serializer = DataResponseSerializer(
            dataPreprocessor: dataPreprocessor,
            emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods
        )
        return serializingResponse(using: serializer, automaticallyCancelling: automaticallyCancelling)
    }

    /// Decodes the response body as a string and passes it to a completion handler.
    ///
    /// `encoding` overrides the encoding of the response. Default: `nil`. ``SerializableRequest`` describes the other
    /// parameters.
    @discardableResult
    @_specialize(where Self == DataRequest)
    public func responseString(
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        completionHandler: @escaping @Sendable (SerializedResponse<String, Body>) -> Void
    ) -> Self {
        let serializer = StringResponseSerializer(
            dataPreprocessor: dataPreprocessor,
            encoding: encoding,
            emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods
        )
        return response(queue: queue, responseSerializer: serializer, completionHandler: completionHandler)
    }

    /// Returns a task that decodes the response body as a string. Starts the request.
    ///
    /// `encoding` overrides the encoding of the response. Default: `nil`. ``SerializableRequest`` describes the other
    /// parameters.
    @_specialize(where Self == DataRequest)
    public func serializingString(
        automaticallyCancelling: Bool = true,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) -> SerializingTask<String, Body> {
        let serializer = StringResponseSerializer(
            dataPreprocessor: dataPreprocessor,
            encoding: encoding,
            emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods
        )
        return serializingResponse(using: serializer, automaticallyCancelling: automaticallyCancelling)
    }

    /// Decodes the response body as a `Decodable` type and passes the value to a completion handler.
    ///
    /// `type` is the type to decode. `decoder` decodes it. Default: `JSONContentDecoder`. ``SerializableRequest``
    /// describes the other parameters.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: any DataDecoder = JSONContentDecoder(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        completionHandler: @escaping @Sendable (SerializedResponse<Value, Body>) -> Void
    ) -> Self {
        let serializer = DecodableResponseSerializer<Value>(
            dataPreprocessor: dataPreprocessor,
            decoder: decoder,
            emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods
        )
        return response(queue: queue, responseSerializer: serializer, completionHandler: completionHandler)
    }

    /// Returns a task that decodes the response body as a `Decodable` type. Starts the request.
    ///
    /// `type` is the type to decode. `decoder` decodes it. Default: `JSONContentDecoder`. ``SerializableRequest``
    /// describes the other parameters.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        automaticallyCancelling: Bool = true,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: any DataDecoder = JSONContentDecoder(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) -> SerializingTask<Value, Body> {
        let serializer = DecodableResponseSerializer<Value>(
            dataPreprocessor: dataPreprocessor,
            decoder: decoder,
            emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods
        )
        return serializingResponse(using: serializer, automaticallyCancelling: automaticallyCancelling)
    }
}
