public import ApusCore
internal import HTTPTypes

/// Encodes parameters as a form into the query or the body of a request.
///
/// Sets the content type `application/x-www-form-urlencoded; charset=utf-8` of a body unless the request has one.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
    /// The destination of the form.
    public enum Destination: Sendable, Hashable {
        /// The query for GET, HEAD and DELETE, otherwise the body. The default.
        case methodDependent
        /// The query, after its existing items.
        case queryString
        /// The body.
        case httpBody

        func isQuery(of method: HTTPRequest.Method) -> Bool {
            switch self {
            case .methodDependent: [.get, .head, .delete].contains(method)
            case .queryString: true
            case .httpBody: false
            }
        }
    }

    /// An encoder with default settings.
    public static let `default` = URLEncodedFormParameterEncoder()

    private static let contentType = "application/x-www-form-urlencoded; charset=utf-8"

    /// The encoder for the form.
    public var encoder: URLEncodedFormEncoder
    /// The destination of the form.
    public var destination: Destination

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - encoder: The encoder for the form. Default: an encoder with default settings.
    ///   - destination: The destination of the form. Default: `.methodDependent`.
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
    /// Encodes parameters as a form into the query for GET, HEAD and DELETE, otherwise into the body.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }

    /// Encodes parameters as a form into the query or the body.
    ///
    /// - Parameters:
    ///   - encoder: The encoder for the form. Default: an encoder with default settings.
    ///   - destination: The destination of the form. Default: `.methodDependent`.
    /// - Returns: The parameter encoder.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = .default,
        destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}
