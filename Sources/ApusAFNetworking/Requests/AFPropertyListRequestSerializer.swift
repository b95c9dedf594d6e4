public import Apus
internal import ApusCore
internal import Foundation

/// Puts parameters into the content as a property list, or into the query of a GET, HEAD or DELETE.
///
/// Without parameters there is no content. A property list has no null, and its XML no control character; a set is an
/// array in it, and a decimal number a `Double`.
public struct AFPropertyListRequestSerializer: AFHTTPRequestSerialization {
    public var settings = AFHTTPRequestSettings()
    /// The format; XML by default. OpenStep's can't be written.
    public var format: PropertyListFormat

    /// Makes a serializer.
    ///
    /// - Parameter format: The format; XML by default.
    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    public func request(
        bySerializing request: RequestMessage,
        withParameters parameters: Parameters?
    ) throws -> RequestMessage {
        guard !encodesInURI(request) else { return try serializingAsForm(request, parameters) }
        var request = adding(fieldsTo: request)
        guard let parameters else { return request }
        let list = try PropertyListValue(.dictionary(parameters), depth: 1).data(format: format)
        request.setContent(list, type: "application/x-plist")
        return request
    }
}

extension PropertyListValue {
    fileprivate init(_ parameter: ParameterValue, depth: Int) throws(ApusError) {
        guard depth <= Self.deepestNesting else {
            throw ApusError(.parameterEncodingFailed, "a parameter is nested deeper than \(Self.deepestNesting) times")
        }
        switch parameter {
        case .null:
            throw ApusError(.parameterEncodingFailed, "a property list has no null; leave the parameter out")
        case .bool(let value): self = .boolean(value)
        case .integer(let value): self = .integer(Int128(value))
        case .number(let value): self = .real(value)
        case .decimal(let value): self = .real(NSDecimalNumber(decimal: value).doubleValue)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .array(let values): self = try .list(values, depth)
        case .set(let values): self = try .list(try values.inOrder(), depth)
        case .dictionary(let values):
            var dictionary: [String: PropertyListValue] = [:]
            for (name, value) in values { dictionary[name] = try PropertyListValue(value, depth: depth + 1) }
            self = .dictionary(dictionary)
        }
    }

    private static func list(_ values: [ParameterValue], _ depth: Int) throws(ApusError) -> PropertyListValue {
        var list: [PropertyListValue] = []
        for value in values { list.append(try PropertyListValue(value, depth: depth + 1)) }
        return .array(list)
    }
}
