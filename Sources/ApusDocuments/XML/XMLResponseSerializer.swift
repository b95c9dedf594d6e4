public import ApusCore
public import Foundation
public import HTTPTypes

/// Parses the body of a response as an XML tree.
///
/// The encoding is that of the byte order mark, else the `charset` of the response, else that of the document (RFC 7303
/// §3). An unknown charset is an error.
public struct XMLResponseSerializer: ResponseSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let limits: XMLLimits
    private let emptyValue: XMLTree?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - limits: The limits for the document.
    ///   - emptyValue: The value for an empty body, if the response may be empty. With `nil` it is the error
    ///     `emptyBody`, since a document needs an element. Default: `nil`.
    ///   - dataPreprocessor: Processes the body before it is parsed. Default: no processing.
    ///   - emptyResponseCodes: The status codes for which the body may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods for which the body may be empty. Default: HEAD.
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
                    "there is no document in an empty body; give the serializer an emptyValue"
                )
            }
            return emptyValue
        }
        return try XMLTree(data, charset: response.statedCharset(), limits: limits)
    }
}

extension HTTPResponse {
    /// Returns the charset of the content type.
    package func statedCharset() throws(ApusError) -> Charset? {
        try CharacterSetDecoding.charset(ofContentType: headerFields[.contentType], orThrow: .decodingFailed)
    }
}
