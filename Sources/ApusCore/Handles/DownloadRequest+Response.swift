public import Foundation
public import HTTPTypes

extension DownloadRequest {
    /// Hands over where the content is, without looking at it.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default, which on Linux runs only under an async
    ///     `main`, `dispatchMain()` or a `RunLoop`.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func response(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (DownloadResponse<URL?>) -> Void
    ) -> Self {
        let task = task
        task.append { raw in
            let result = raw.error.map(Result<URL?, ApusError>.failure) ?? .success(raw.fileURL)
            let response = DownloadResponse(raw: raw, serializationDuration: .zero, result: result)
            let completion = RequestTask.Completion(failure: nil) {
                task.core.mainQueueWatch.deliver(on: queue) { completionHandler(response) }
            }
            return .now(completion)
        }
        return self
    }

    /// Hands over what `responseSerializer` makes of the file.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - responseSerializer: What makes the value; not asked where the download failed before.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializer>(
        queue: DispatchQueue = .main,
        responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        let task = task
        append(responseSerializer) { response in
            task.core.mainQueueWatch.deliver(on: queue) { completionHandler(response) }
        }
        return self
    }

    func append<Serializer: DownloadResponseSerializer>(
        _ serializer: Serializer,
        _ tell: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) {
        let task = task
        task.append { raw in
            Serialization.serialize(raw, with: serializer, for: task) { response in
                RequestTask.Completion(failure: response.result.failure) { tell(response) }
            }
        }
    }

    /// Hands over where the content is.
    @discardableResult
    public func responseURL(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: URLResponseSerializer(), completionHandler: completionHandler)
    }

    /// Hands over the file's content.
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
        completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
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

    /// Hands over the file's content as a string.
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
        completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
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

    /// Hands over the file's content, decoded.
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
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
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
