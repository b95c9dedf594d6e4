public import Foundation

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
            return { task.core.mainQueueWatch.deliver(on: queue) { completionHandler(response) } }
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
            { task.core.mainQueueWatch.deliver(on: queue) { completionHandler(response) } }
        }
        return self
    }

    func append<Serializer: DownloadResponseSerializer>(
        _ serializer: Serializer,
        _ completion: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> RequestTask.Completion
    ) {
        let task = task
        task.append { raw in completion(await Serialization.serialize(raw, with: serializer, for: task)) }
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
    @discardableResult
    public func responseData(
        queue: DispatchQueue = .main,
        completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
    ) -> Self {
        response(queue: queue, responseSerializer: DataResponseSerializer(), completionHandler: completionHandler)
    }

    /// Hands over the file's content as a string.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - encoding: The encoding; `nil` (the default) believes the answer.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseString(
        queue: DispatchQueue = .main,
        encoding: String.Encoding? = nil,
        completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: StringResponseSerializer(encoding: encoding),
            completionHandler: completionHandler
        )
    }

    /// Hands over the file's content, decoded.
    ///
    /// - Parameters:
    ///   - type: What to make of it.
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - decoder: What decodes; a plain `JSONDecoder` by default.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseDecodable<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        queue: DispatchQueue = .main,
        decoder: any DataDecoder = JSONDecoder(),
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DecodableResponseSerializer<Value>(decoder: decoder),
            completionHandler: completionHandler
        )
    }
}
