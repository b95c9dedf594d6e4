public import ApusCore
public import Foundation

extension DataRequest {
    /// Hands over the content as a property list.
    ///
    /// - Parameters:
    ///   - queue: Where `completionHandler` is called; `.main` by default.
    ///   - formats: The formats that are taken; XML and binary by default.
    ///   - limits: What a property list may cost.
    ///   - completionHandler: Called exactly once.
    /// - Returns: The request.
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue = .main,
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits(),
        completionHandler: @escaping @Sendable (DataResponse<PropertyListValue>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: PropertyListResponseSerializer(formats: formats, limits: limits),
            completionHandler: completionHandler
        )
    }

    /// The answer's content as a property list, for those who await it. It starts the request.
    ///
    /// - Parameters:
    ///   - formats: The formats that are taken; XML and binary by default.
    ///   - limits: What a property list may cost.
    ///   - automaticallyCancelling: Whether cancelling the awaiting task cancels the request; it does.
    /// - Returns: What can be awaited, any number of times.
    public func serializingPropertyList(
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits(),
        automaticallyCancelling: Bool = true
    ) -> DataTask<PropertyListValue> {
        serializingResponse(
            using: PropertyListResponseSerializer(formats: formats, limits: limits),
            automaticallyCancelling: automaticallyCancelling
        )
    }
}

extension Response {
    /// The content as a property list.
    ///
    /// - Parameters:
    ///   - formats: The formats that are taken; XML and binary by default.
    ///   - limits: What a property list may cost.
    /// - Returns: The value.
    /// - Throws: `ApusError` with the code `decodingFailed` or `emptyBody`.
    public func propertyList(
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits()
    ) throws(ApusError) -> PropertyListValue {
        try serialized(by: PropertyListResponseSerializer(formats: formats, limits: limits))
    }
}
