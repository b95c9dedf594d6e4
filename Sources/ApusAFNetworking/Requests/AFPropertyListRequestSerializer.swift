public import Apus
internal import ApusCore
public import ApusDocuments
internal import Foundation

/// Encodes parameters as a property list in the body, or in the query of GET, HEAD and DELETE requests.
///
/// The root may be a dictionary or an array. Without parameters there is no body. Property lists do not support null,
/// and XML ones no control characters. Sets are encoded as arrays, and decimal numbers as `Double`.
public struct AFPropertyListRequestSerializer: AFHTTPRequestSerialization {
    public var settings = AFHTTPRequestSettings()
    /// The format. Default: XML.
    public var format: PropertyListFormat

    /// Creates a serializer.
    ///
    /// - Parameter format: The format. Default: XML.
    public init(format: PropertyListFormat = .xml) {
        self.format = format
    }

    public func request(
        bySerializing request: RequestMessage,
        withParameters parameters: AFParameters?
    ) throws -> RequestMessage {
        guard !encodesInURI(request) else { return try serializingAsForm(request, parameters) }
        var request = adding(fieldsTo: request)
        guard let root = try parameters?.value else { return request }
        let list = try PropertyListValue(root, depth: 1).data(format: format)
        request.setContent(list, type: "application/x-plist")
        return request
    }
}

extension PropertyListValue {
    fileprivate init(_ parameter: ParameterValue, depth: Int) throws(ApusError) {
        guard depth <= Self.deepestNesting else {
            throw ApusError(.parameterEncodingFailed, "a parameter is nested deeper than \(Self.deepestNesting) levels")
        }
        switch parameter {
        case .null:
            throw ApusError(.parameterEncodingFailed, "a property list can't contain null; leave the parameter out")
        case .bool(let value): self = .boolean(value)
        case .integer(let value): self = .integer(Int128(value))
        case .number(let value): self = .real(value)
        case .decimal(let value): self = .real(NSDecimalNumber(decimal: value).doubleValue)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .array(let values): self = try .list(values, depth)
        case .set(let values): self = try .list(ParameterValue.sorted(values), depth)
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
