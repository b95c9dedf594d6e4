public import ApusCore
public import Foundation

extension DataRequest {
    /// Hands over the content as an XML tree.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - limits: What a document may cost.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responseXML(
        queue: DispatchQueue = .main,
        limits: XMLLimits = XMLLimits(),
        completionHandler: @escaping @Sendable (DataResponse<XMLTree>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: XMLResponseSerializer(limits: limits),
            completionHandler: completionHandler
        )
    }

    /// The answer's content as an XML tree, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - limits: What a document may cost.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingXML(
        limits: XMLLimits = XMLLimits(),
        automaticallyCancelling: Bool = true
    ) -> DataTask<XMLTree> {
        serializingResponse(
            using: XMLResponseSerializer(limits: limits),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}

extension Response {
    /// The content as an XML tree.
    ///
    /// - Parameter limits: What a document may cost.
    /// - Returns: The tree.
    /// - Throws: `ApusError` with the code `decodingFailed`, the line and the column, or `emptyBody`.
    public func xml(limits: XMLLimits = XMLLimits()) throws(ApusError) -> XMLTree {
        try serialized(by: XMLResponseSerializer(limits: limits))
    }
}
