public import Foundation
public import HTTPTypes

/// The content as a `JSONValue`.
///
/// A content of a single space counts as empty: some servers send one where they mean nothing. Where an answer may be
/// empty, nothing is `null`.
public struct JSONResponseSerializer: ResponseSerializer, BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let removesNulls: Bool
    private let refusesDuplicateNames: Bool

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - removesNulls: Whether members and elements that are `null` are left out, at every depth; they are not.
    ///   - refusesDuplicateNames: Whether an object that has a name twice is an error; `false` by default, which takes the
    ///     first value.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
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
    /// Whether it says nothing: no byte, or the one space that some servers send instead.
    var isBlank: Bool { isEmpty || count == 1 && first == 0x20 }
}
