public import Apus
public import Foundation

/// Encodes parameters as JSON in the body, or in the query of GET, HEAD and DELETE requests.
///
/// The root may be a dictionary or an array. Without parameters there is no body. Data, dates and non-finite numbers
/// are not valid in JSON. Convert data and dates to strings first.
public struct AFJSONRequestSerializer: AFHTTPRequestSerialization {
    public var settings = AFHTTPRequestSettings()
    /// The format of the JSON. Default: a single line.
    public var writingOptions: JSONEncoder.OutputFormatting

    /// Creates a serializer.
    ///
    /// - Parameter writingOptions: The format of the JSON. Default: a single line.
    public init(writingOptions: JSONEncoder.OutputFormatting = []) {
        self.writingOptions = writingOptions
    }

    public func request(
        bySerializing request: RequestMessage,
        withParameters parameters: AFParameters?
    ) throws -> RequestMessage {
        guard !encodesInURI(request) else { return try serializingAsForm(request, parameters) }
        return try JSONParameterEncoder(encoder: encoder).encode(parameters?.value, into: adding(fieldsTo: request))
    }

    private var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = writingOptions
        encoder.dateEncodingStrategy = .custom { _, encoder in throw Self.invalid("dates", encoder) }
        encoder.dataEncodingStrategy = .custom { _, encoder in throw Self.invalid("bytes", encoder) }
        return encoder
    }

    /// Returns an error without the value, because Foundation traps if it prints an invalid date.
    private static func invalid(_ value: String, _ encoder: any Encoder) -> EncodingError {
        let context = EncodingError.Context(
            codingPath: encoder.codingPath,
            debugDescription: "JSON has no type for \(value); convert it to a string first"
        )
        return .invalidValue(value, context)
    }
}
