public import Foundation
public import HTTPTypes

extension DataRequest {
    /// Hands the answer over as it is.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default, which on Linux runs only under an async
    ///     `main`, `dispatchMain()` or a `RunLoop`.
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

    /// Hands over what `responseSerializer` makes of the answer.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - responseSerializer: What makes the value; not asked where the request failed before.
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

    /// Hands over the content.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
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

    /// Hands over the content as a string.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - encoding: The encoding; `nil` (the default) believes the answer.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
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

    /// Hands over the content, decoded.
    ///
    /// - Parameters:
    ///   - type: What to make of it.
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - decoder: What decodes; `JSONContentDecoder` by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
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
