public import ApusCore
internal import HTTPTypes

/// Puts parameters into the query or the content of a request, as a form.
///
/// The content gets the type `application/x-www-form-urlencoded; charset=utf-8` where the request names none.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// Where the form goes.
    public enum Destination: Sendable, Hashable {
        /// Into the query of a GET, HEAD or DELETE, else into the content: the default.
        case methodDependent
        /// Into the query, behind what is there.
        case queryString
        /// Into the content.
        case httpBody

        func isQuery(of method: HTTPRequest.Method) -> Bool {
            switch self {
            case .methodDependent: [.get, .head, .delete].contains(method)
            case .queryString: true
            case .httpBody: false
            }
        }
    }

    /// An encoder with all defaults.
    public static let `default` = URLEncodedFormParameterEncoder()

    private static let contentType = "application/x-www-form-urlencoded; charset=utf-8"

    /// What makes the form.
    public var encoder: URLEncodedFormEncoder
    /// Where the form goes.
    public var destination: Destination

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - encoder: What makes the form; one with all defaults by default.
    ///   - destination: Where the form goes; by the method by default.
    public init(encoder: URLEncodedFormEncoder = .default, destination: Destination = .methodDependent) {
        self.encoder = encoder
        self.destination = destination
    }

    public func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?,
        into request: RequestMessage
    ) throws -> RequestMessage {
        guard let parameters else { return request }
        let form = try encoder.bytes(of: parameters)
        var request = request
        if destination.isQuery(of: request.method) {
            request.target = try request.target.adding(encodedQuery: String(decoding: form, as: UTF8.self))
        } else {
            request.setContent(form, type: Self.contentType)
        }
        return request
    }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// Puts parameters into the query of a GET, HEAD or DELETE, else into the content, as a form.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }

    /// Puts parameters into the query or the content, as a form.
    ///
    /// - Parameters:
    ///   - encoder: What makes the form; one with all defaults by default.
    ///   - destination: Where the form goes; by the method by default.
    /// - Returns: The encoder of parameters.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = .default,
        destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}
