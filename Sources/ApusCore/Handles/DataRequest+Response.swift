public import Foundation
public import HTTPTypes

extension DataRequest {
    /// Passes the response to a completion handler, without a serializer.
    ///
    /// - Parameters:
    ///   - queue: The queue that `completionHandler` is called on. On Linux, `.main` runs only under an async `main`,
    ///     `dispatchMain()` or a `RunLoop`. Default: `.main`.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func response(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void
    ) -> Self {
        let task = task
        task.append { raw in
            let result = raw.error.map(Result<Data?, ApusError>.failure) ?? .success(raw.data)
            let response = DataResponse(raw: raw, serializationDuration: .zero, result: result)
            let completion = RequestTask.Completion(failure: nil) {
                task.core.mainQueueWatch.deliver(on: queue) { completionHandler(response) }
            }
            return .now(completion)
        }
        return self
    }

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
        completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        let task = task
        task.append { raw in
            Serialization.serialize(raw, with: responseSerializer, for: task) { response in
                RequestTask.Completion(failure: response.result.failure) {
                    task.core.mainQueueWatch.deliver(on: queue) { completionHandler(response) }
                }
            }
        }
        return self
    }

    /// Passes the response body to a completion handler.
    ///
    /// - Parameters:
    ///   - queue: The queue that `completionHandler` is called on. Default: `.main`.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`.
    ///   - emptyResponseCodes: The status codes that allow an empty body. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may have an empty body. Default: HEAD.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseData(
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DataResponseSerializer(
                dataPreprocessor: dataPreprocessor,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            completionHandler: completionHandler
        )
    }

    /// Decodes the response body as a string and passes it to a completion handler.
    ///
    /// - Parameters:
    ///   - queue: The queue that `completionHandler` is called on. Default: `.main`.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`.
    ///   - encoding: The string encoding, or `nil` to detect it from the response. Default: `nil`.
    ///   - emptyResponseCodes: The status codes that allow an empty body. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may have an empty body. Default: HEAD.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseString(
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: StringResponseSerializer(
                dataPreprocessor: dataPreprocessor,
                encoding: encoding,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            completionHandler: completionHandler
        )
    }

    /// Decodes the response body as a `Decodable` type and passes the value to a completion handler.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - queue: The queue that `completionHandler` is called on. Default: `.main`.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`.
    ///   - decoder: The decoder. Default: `JSONContentDecoder`.
    ///   - emptyResponseCodes: The status codes that allow an empty body. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may have an empty body. Default: HEAD.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        queue: DispatchQueue = .main,
        dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: any DataDecoder = JSONContentDecoder(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DecodableResponseSerializer<Value>(
                dataPreprocessor: dataPreprocessor,
                decoder: decoder,
                emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods
            ),
            completionHandler: completionHandler
        )
    }
}
