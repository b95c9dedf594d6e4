public import ApusCore
public import Foundation
public import HTTPTypes

/// The content as a property list.
public struct PropertyListResponseSerializer: ResponseSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPRequest.Method>
    private let formats: Set<PropertyListFormat>
    private let limits: PropertyListLimits
    private let emptyValue: PropertyListValue?

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - formats: The formats that are taken; XML and binary by default, since nearly any text is one of OpenStep's.
    ///     `PropertyListFormat.init(of:)` tells of the content which it was.
    ///   - limits: What a property list may cost.
    ///   - emptyValue: What an empty content means where the answer may be empty; `nil` (the default) makes it the
    ///     error `emptyBody`.
    ///   - dataPreprocessor: What is done to the content first; nothing by default.
    ///   - emptyResponseCodes: The statuses whose content may be empty; 204 and 205 by default.
    ///   - emptyRequestMethods: The methods whose answers may be empty; HEAD by default.
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
                throw ApusError(.emptyBody, "there is no value in an empty content; give the serializer an emptyValue")
            }
            return emptyValue
        }
        return try PropertyListValue(data, formats: formats, limits: limits)
    }
}

/// Decodes types of your own from property lists, and checks them before Foundation sees them.
///
/// `PropertyListDecoder` alone can be made to crash by XML that is nested some ten thousand times; what this hands to it
/// has been read within `limits`.
///
/// ```swift
/// let settings = try await session.get(url).decode(Settings.self, decoder: CheckedPropertyListDecoder())
/// ```
public struct CheckedPropertyListDecoder: DataDecoder {
    private let formats: Set<PropertyListFormat>
    private let limits: PropertyListLimits

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - formats: The formats that are taken; XML and binary by default.
    ///   - limits: What a property list may cost.
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
