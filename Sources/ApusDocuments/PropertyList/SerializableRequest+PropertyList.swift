public import ApusCore
public import Foundation

extension SerializableRequest {
    /// Adds a handler for the response, with its body parsed as a property list.
    ///
    /// - Parameters:
    ///   - queue: The queue on which `completionHandler` is called. Default: `.main`.
    ///   - formats: The accepted formats. Default: XML and binary.
    ///   - limits: The limits for the property list.
    ///   - completionHandler: The handler. Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue = .main,
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits(),
        completionHandler: @escaping @Sendable (SerializedResponse<PropertyListValue, Body>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: PropertyListResponseSerializer(formats: formats, limits: limits),
            completionHandler: completionHandler
        )
    }

    /// Starts the request and parses the response's body as a property list, for use with `await`.
    ///
    /// - Parameters:
    ///   - formats: The accepted formats. Default: XML and binary.
    ///   - limits: The limits for the property list.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: `true`.
    /// - Returns: A task that can be awaited any number of times.
    public func serializingPropertyList(
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits(),
        automaticallyCancelling: Bool = true
    ) -> SerializingTask<PropertyListValue, Body> {
        serializingResponse(
            using: PropertyListResponseSerializer(formats: formats, limits: limits),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}

extension Response {
    /// Parses the body as a property list.
    ///
    /// - Parameters:
    ///   - formats: The accepted formats. Default: XML and binary.
    ///   - limits: The limits for the property list.
    /// - Returns: The value.
    /// - Throws: `ApusError` with the code `decodingFailed` or `emptyBody`.
    public func propertyList(
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits()
    ) throws(ApusError) -> PropertyListValue {
        try serialized(by: PropertyListResponseSerializer(formats: formats, limits: limits))
    }
}
