public import ApusCore
public import Foundation
public import HTTPTypes

/// Collects a value from the events of an XML document, without building a tree.
///
/// ```swift
/// let titles = XMLEventResponseSerializer(into: [String]()) { titles, event in
///     if case .startElement(let name, let attributes) = event, name.local == "item" {
///         titles += attributes.filter { $0.name == "title" }.map(\.value)
///     }
/// }
/// print(try await session.request("https://api.example.org/feed").serializingResponse(using: titles).value)
/// ```
public struct XMLEventResponseSerializer<Output: Sendable>: ResponseSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let initial: Output
    private let limits: XMLLimits
    private let read: @Sendable (inout Output, inout XMLEventParser) throws -> Void

    /// Creates a serializer that receives every event.
    ///
    /// - Parameters:
    ///   - initial: The initial value. It is also the result for an empty body, if the response may be empty.
    ///   - limits: The limits for the document.
    ///   - dataPreprocessor: Processes the body before it is parsed. Default: no processing.
    ///   - emptyResponseCodes: The status codes for which the body may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods for which the body may be empty. Default: HEAD.
    ///   - gather: Updates the value for the next event. If it throws, parsing stops.
    public init(
        into initial: Output,
        limits: XMLLimits = XMLLimits(),
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        _ gather: @escaping @Sendable (inout Output, XMLEvent) throws -> Void
    ) {
        self.init(
            readingInto: initial,
            limits: limits,
            dataPreprocessor: dataPreprocessor,
            emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods
        ) { output, events in
            try events.parse { try gather(&output, $0) }
        }
    }

    /// Creates a serializer that reads events until its closure returns.
    ///
    /// - Parameters:
    ///   - initial: The initial value. It is also the result for an empty body, if the response may be empty.
    ///   - limits: The limits for the document.
    ///   - dataPreprocessor: Processes the body before it is parsed. Default: no processing.
    ///   - emptyResponseCodes: The status codes for which the body may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods for which the body may be empty. Default: HEAD.
    ///   - read: Updates the value from the parser's events. If it returns early, the rest is not parsed.
    public init(
        readingInto initial: Output,
        limits: XMLLimits = XMLLimits(),
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods,
        _ read: @escaping @Sendable (inout Output, inout XMLEventParser) throws -> Void
    ) {
        self.initial = initial
        self.limits = limits
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
        self.read = read
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Output {
        guard try requireContent(request: request, response: response, data: data) else { return initial }
        var output = initial
        var events = try XMLEventParser(data, charset: response.statedCharset(), limits: limits)
        try read(&output, &events)
        return output
    }
}
