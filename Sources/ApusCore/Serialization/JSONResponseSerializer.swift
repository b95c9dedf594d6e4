public import ApusJSON
public import Foundation
public import HTTPTypes

/// Parses the response body as a `JSONValue`.
///
/// A body of a single space counts as empty, since some servers send one in place of an empty body. If the response may
/// be empty, an empty body is `null`.
public struct JSONResponseSerializer: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let removesNulls: Bool
    private let refusesDuplicateNames: Bool

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Transforms the body first. Default: no transformation.
    ///   - removesNulls: Whether to remove members and elements that are `null`, at any depth. Default: `false`.
    ///   - refusesDuplicateNames: Whether a repeated name in an object is an error. Default: `false`, which uses the
    ///     first value.
    ///   - emptyResponseCodes: The statuses whose responses may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods whose responses may be empty. Default: HEAD.
    public init(
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        removesNulls: Bool = false,
        refusesDuplicateNames: Bool = false,
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.removesNulls = removesNulls
        self.refusesDuplicateNames = refusesDuplicateNames
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> JSONValue {
        let content = data.isBlank ? Data() : data
        guard try requireContent(request: request, response: response, data: content) else { return .null }
        let value = try JSONValue(parsing: content, refusesDuplicateNames: refusesDuplicateNames)
        return removesNulls ? value.removingNulls() : value
    }
}

extension Data {
    /// Whether the data is empty, or the single space that some servers send instead.
    var isBlank: Bool { isEmpty || count == 1 && first == 0x20 }
}
