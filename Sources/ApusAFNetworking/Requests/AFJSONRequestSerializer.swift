public import Apus
public import Foundation

/// Puts parameters into the content as JSON, or into the query of a GET, HEAD or DELETE.
///
/// Without parameters there is no content. Bytes and dates are no JSON: make texts of them first. Nor are numbers that are
/// not finite.
public struct AFJSONRequestSerializer: AFHTTPRequestSerialization {
    public var settings = AFHTTPRequestSettings()
    /// How the JSON is written; on one line by default.
    public var writingOptions: JSONEncoder.OutputFormatting

    /// Makes a serializer.
    ///
    /// - Parameter writingOptions: How the JSON is written; on one line by default.
    public init(writingOptions: JSONEncoder.OutputFormatting = []) {
        self.writingOptions = writingOptions
    }

    public func request(
        bySerializing request: RequestMessage,
        withParameters parameters: Parameters?
    ) throws -> RequestMessage {
        guard !encodesInURI(request) else { return try serializingAsForm(request, parameters) }
        return try JSONParameterEncoder(encoder: encoder).encode(parameters, into: adding(fieldsTo: request))
    }

    private var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = writingOptions
        encoder.dateEncodingStrategy = .custom { _, encoder in throw Self.invalid("date", encoder) }
        encoder.dataEncodingStrategy = .custom { _, encoder in throw Self.invalid("bytes", encoder) }
        return encoder
    }

    /// The error of a value, without the value: Foundation traps where a date is printed that is none.
    private static func invalid(_ what: String, _ encoder: any Encoder) -> EncodingError {
        let context = EncodingError.Context(
            codingPath: encoder.codingPath,
            debugDescription: "JSON has no \(what); make a text of it first"
        )
        return .invalidValue(what, context)
    }
}
