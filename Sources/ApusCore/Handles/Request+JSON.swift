public import Foundation

extension DataRequest {
    /// Hands over the content as a `JSONValue`.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - removingNulls: Whether members and elements that are `null` are left out; they are not.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue = .main,
        removingNulls: Bool = false,
        completionHandler: @escaping @Sendable (DataResponse<JSONValue>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: JSONResponseSerializer(removesNulls: removingNulls),
            completionHandler: completionHandler
        )
    }

    /// The answer's content as a `JSONValue`, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - removingNulls: Whether members and elements that are `null` are left out; they are not.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingJSON(
        removingNulls: Bool = false,
        automaticallyCancelling: Bool = true
    ) -> DataTask<JSONValue> {
        serializingResponse(
            using: JSONResponseSerializer(removesNulls: removingNulls),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}

extension DownloadRequest {
    /// Hands over the file's content as a `JSONValue`.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - removingNulls: Whether members and elements that are `null` are left out; they are not.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue = .main,
        removingNulls: Bool = false,
        completionHandler: @escaping @Sendable (DownloadResponse<JSONValue>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: JSONResponseSerializer(removesNulls: removingNulls),
            completionHandler: completionHandler
        )
    }

    /// The file's content as a `JSONValue`, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - removingNulls: Whether members and elements that are `null` are left out; they are not.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingJSON(
        removingNulls: Bool = false,
        automaticallyCancelling: Bool = true
    ) -> DownloadTask<JSONValue> {
        serializingDownload(
            using: JSONResponseSerializer(removesNulls: removingNulls),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}

extension Response {
    /// The content as a `JSONValue`.
    ///
    /// - Returns: The value.
    /// - Throws: `ApusError` with the code `decodingFailed` and the place in the content, or `emptyBody`.
    public func json() throws(ApusError) -> JSONValue {
        guard !data.isBlank else {
            throw about(ApusError(.emptyBody, "there is no content to decode"))
        }
        do throws(ApusError) {
            return try JSONValue(parsing: data)
        } catch {
            throw about(error)
        }
    }
}
