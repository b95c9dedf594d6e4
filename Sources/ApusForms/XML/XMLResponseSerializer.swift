public import ApusCore
public import Foundation
public import HTTPTypes

/// The content as an XML tree.
///
/// A byte order mark, then the `charset` of the answer, then the document itself say its encoding, after RFC 7303 §3. A
/// charset that is not known is an error.
public struct XMLResponseSerializer: ResponseSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let limits: XMLLimits
    private let emptyValue: XMLTree?

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - limits: What a document may cost.
    ///   - emptyValue: What an empty content means where the answer may be empty; `nil` (the default) makes it the
    ///     error `emptyBody`, since there is no document without an element.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    public init(
        limits: XMLLimits = XMLLimits(),
        emptyValue: XMLTree? = nil,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) {
        self.limits = limits
        self.emptyValue = emptyValue
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> XMLTree {
        guard try requireContent(request: request, response: response, data: data) else {
            guard let emptyValue else {
                throw ApusError(
                    .emptyBody,
                    "there is no document in an empty content; give the serializer an emptyValue"
                )
            }
            return emptyValue
        }
        return try XMLTree(data, charset: response.statedCharset(), limits: limits)
    }
}

/// What is gathered from the events of an XML document, without its tree.
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

    /// Makes a serializer that takes every event.
    ///
    /// - Parameters:
    ///   - initial: What an answer without content means, where it may have none, and what gathering begins with.
    ///   - limits: What a document may cost.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    ///   - gather: Given what was gathered so far, and the next event; what it throws ends the reading.
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

    /// Makes a serializer that reads as far as it wants to.
    ///
    /// - Parameters:
    ///   - initial: What an answer without content means, where it may have none, and what reading begins with.
    ///   - limits: What a document may cost.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
    ///   - read: Given what reading begins with, and the document; the rest is not looked at where it returns early.
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

extension HTTPResponse {
    /// The charset that the content type states.
    package func statedCharset() throws(ApusError) -> Charset? {
        try CharacterSetDecoding.charset(ofContentType: headerFields[.contentType], orThrow: .decodingFailed)
    }
}
