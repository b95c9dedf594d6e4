public import Apus

extension ParameterEncoder {
    /// Encodes parameters into a request.
    ///
    /// - Parameters:
    ///   - urlRequest: The request without its parameters.
    ///   - parameters: The parameters. With `nil` the request is unchanged.
    /// - Returns: The request with its parameters.
    /// - Throws: `ApusError` with the code `parameterEncodingFailed`, or the error of `urlRequest`.
    public func encode(
        _ urlRequest: some RequestConvertible,
        with parameters: Parameters?
    ) throws -> RequestMessage {
        try encode(parameters, into: urlRequest.asRequest())
    }
}

extension URLEncodedFormParameterEncoder {
    /// An encoder that writes into the query, with any method.
    public static let queryString = URLEncodedFormParameterEncoder(encoder: .default, destination: .queryString)

    /// An encoder that writes into the body, with any method.
    public static let httpBody = URLEncodedFormParameterEncoder(encoder: .default, destination: .httpBody)

    /// Creates an encoder with the names of Alamofire's `URLEncoding`.
    ///
    /// - Parameters:
    ///   - destination: The destination of the form. Default: `.methodDependent`.
    ///   - arrayEncoding: The encoding of the key of an array's element. Default: `.brackets`.
    ///   - boolEncoding: The encoding of `Bool` values. Default: `.numeric`.
    @_disfavoredOverload
    public init(
        destination: Destination = .methodDependent,
        arrayEncoding: URLEncodedFormEncoder.ArrayEncoding = .brackets,
        boolEncoding: URLEncodedFormEncoder.BoolEncoding = .numeric
    ) {
        let encoder = URLEncodedFormEncoder(arrayEncoding: arrayEncoding, boolEncoding: boolEncoding)
        self.init(encoder: encoder, destination: destination)
    }
}
