public import ApusJSON
public import Foundation

extension SerializableRequest {
    /// Decodes the response body as a `JSONValue` and passes it to a completion handler.
    ///
    /// - Parameters:
    ///   - queue: The queue that `completionHandler` is called on. Default: `.main`.
    ///   - removingNulls: Whether to leave out members and elements that are `null`. Default: `false`.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    @_specialize(where Self == DataRequest)
    public func responseJSON(
        queue: DispatchQueue = .main,
        removingNulls: Bool = false,
        completionHandler: @escaping @Sendable (SerializedResponse<JSONValue, Body>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: JSONResponseSerializer(removesNulls: removingNulls),
            completionHandler: completionHandler
        )
    }

    /// Returns a task that decodes the response body as a `JSONValue`. Starts the request.
    ///
    /// - Parameters:
    ///   - removingNulls: Whether to leave out members and elements that are `null`. Default: `false`.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    /// - Returns: A task whose value can be awaited any number of times.
    @_specialize(where Self == DataRequest)
    public func serializingJSON(
        removingNulls: Bool = false,
        automaticallyCancelling: Bool = true
    ) -> SerializingTask<JSONValue, Body> {
        serializingResponse(
            using: JSONResponseSerializer(removesNulls: removingNulls),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}

extension Response {
    /// Returns the body, parsed as JSON.
    ///
    /// - Returns: The JSON value.
    /// - Throws: `ApusError` with the code `decodingFailed` and the position in the body, or with the code `emptyBody`.
    public func json() throws(ApusError) -> JSONValue {
        guard !data.isBlank else {
            throw about(ApusError(.emptyBody, "there is no body to decode"))
        }
        do throws(ApusError) {
            return try JSONValue(parsing: data)
        } catch {
            throw about(error)
        }
    }
}
