public import ApusCore
public import Foundation

extension SerializableRequest {
    /// Adds a handler for the response, with its body parsed as an XML tree.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `completionHandler` is called. Default: `.main`.
    ///   - limits: The limits for the document.
    ///   - completionHandler: The handler. Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseXML(
        queue: DispatchQueue = .main,
        limits: XMLLimits = XMLLimits(),
        completionHandler: @escaping @Sendable (SerializedResponse<XMLTree, Body>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: XMLResponseSerializer(limits: limits),
            completionHandler: completionHandler
        )
    }

    /// Starts the request and parses the response's body as an XML tree, for use with `await`.
    ///
    /// - Parameters:
    ///   - limits: The limits for the document.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    /// - Returns: A task that can be awaited any number of times.
    public func serializingXML(
        limits: XMLLimits = XMLLimits(),
        automaticallyCancelling: Bool = true
    ) -> SerializingTask<XMLTree, Body> {
        serializingResponse(
            using: XMLResponseSerializer(limits: limits),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}

extension Response {
    /// Parses the body as an XML tree.
    ///
    /// - Parameter limits: The limits for the document.
    /// - Returns: The tree.
    /// - Throws: `ApusError` with the code `decodingFailed` and the line and column, or `emptyBody`.
    public func xml(limits: XMLLimits = XMLLimits()) throws(ApusError) -> XMLTree {
        try serialized(by: XMLResponseSerializer(limits: limits))
    }
}
