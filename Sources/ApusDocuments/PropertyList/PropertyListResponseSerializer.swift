public import ApusCore
public import Foundation
public import HTTPTypes

/// Parses the body of a response as a property list.
public struct PropertyListResponseSerializer: ResponseSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let formats: Set<PropertyListFormat>
    private let limits: PropertyListLimits
    private let emptyValue: PropertyListValue?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - formats: The accepted formats. `PropertyListFormat.init(of:)` detects the format of a body. Default: both.
    ///   - limits: The limits for the property list.
    ///   - emptyValue: The value for an empty body, if the response may be empty. With `nil` it is the error
    ///     `emptyBody`. Default: `nil`.
    ///   - dataPreprocessor: Processes the body before it is parsed. Default: no processing.
    ///   - emptyResponseCodes: The status codes for which the body may be empty. Default: 204 and 205.
    ///   - emptyRequestMethods: The methods for which the body may be empty. Default: HEAD.
    public init(
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits(),
        emptyValue: PropertyListValue? = nil,
        dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(),
        emptyResponseCodes: Set<Int> = EmptyResponses.codes,
        emptyRequestMethods: Set<HTTPRequest.Method> = EmptyResponses.methods
    ) {
        self.formats = formats
        self.limits = limits
        self.emptyValue = emptyValue
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
    }

    public func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> PropertyListValue {
        guard try requireContent(request: request, response: response, data: data) else {
            guard let emptyValue else {
                throw ApusError(.emptyBody, "there is no value in an empty body; give the serializer an emptyValue")
            }
            return emptyValue
        }
        return try PropertyListValue(data, formats: formats, limits: limits)
    }
}

/// Decodes your own types from property lists, which it validates before Foundation reads them.
///
/// `PropertyListDecoder` alone can crash on XML with some ten thousand levels of nesting. This decoder passes on only
/// property lists that are within `limits`.
///
/// ```swift
/// let settings = try await session.get(url).decode(Settings.self, decoder: CheckedPropertyListDecoder())
/// ```
public struct CheckedPropertyListDecoder: DataDecoder {
    private let formats: Set<PropertyListFormat>
    private let limits: PropertyListLimits

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - formats: The accepted formats. Default: XML and binary.
    ///   - limits: The limits for the property list.
    public init(
        formats: Set<PropertyListFormat> = [.xml, .binary],
        limits: PropertyListLimits = PropertyListLimits()
    ) {
        self.formats = formats
        self.limits = limits
    }

    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let value = try PropertyListValue(data, formats: formats, limits: limits)
        return try PropertyListDecoder().decode(type, from: value.data(format: .binary))
    }
}
