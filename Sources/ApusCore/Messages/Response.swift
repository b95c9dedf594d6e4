public import ApusJSON
public import Foundation
public import HTTPTypes

/// A complete response, as the direct calls return it.
///
/// ```swift
/// let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
/// ```
public struct Response: Sendable {
    /// Shared, so that copying a response costs a pointer.
    private final class Contents: Sendable {
        let request: RequestMessage
        let collected: CollectedResponse
        let metrics: RequestMetrics

        init(_ request: RequestMessage, _ collected: CollectedResponse, _ metrics: RequestMetrics) {
            self.request = request
            self.collected = collected
            self.metrics = metrics
        }
    }

    private let contents: Contents

    init(request: RequestMessage, collected: CollectedResponse, metrics: RequestMetrics) {
        self.contents = Contents(request, collected, metrics)
    }

    /// The request message.
    public var request: RequestMessage { contents.request }
    /// The status.
    public var status: HTTPResponse.Status { contents.collected.head.status }
    /// The status as a number.
    public var statusCode: Int { status.code }
    /// The header fields.
    public var fields: HTTPFields { contents.collected.head.fields }
    /// The body, after content decoding.
    public var data: Data { contents.collected.data }
    /// The trailer fields, or `nil` if there were none.
    public var trailers: HTTPFields? { contents.collected.trailers }
    /// The metrics of the request.
    public var metrics: RequestMetrics { contents.metrics }
    /// The redirects that were followed to this response, in their order.
    public var redirects: [FollowedRedirect] { contents.metrics.redirects }
    /// The target of this response: after redirects, the last one.
    public var target: TargetURI { contents.collected.target }

    /// The response as the result of an attempt.
    var raw: RawResponse { RawResponse(request: request, collected: contents.collected, metrics: metrics) }

    /// The response head as an `HTTPResponse`.
    public var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }

    /// Returns the response if its status is one of `statusCodes`.
    ///
    /// The body is already there. The option `ResponseValidation` rejects a response before its body is collected.
    ///
    /// - Parameter statusCodes: The acceptable statuses. Default: 200 to 299.
    /// - Returns: The response itself.
    /// - Throws: `ApusError` with the code `unacceptableStatus` and the response body.
    @discardableResult
    public func validate(statusCodes: Range<Int> = 200..<300) throws(ApusError) -> Response {
        if let refusal = Validator.refusal(of: status, outside: statusCodes) { throw about(refusal) }
        return self
    }

    /// Decodes the body.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. Default: `JSONContentDecoder`.
    /// - Returns: The value.
    /// - Throws: `ApusError` with the code `decodingFailed` and the position in the body, or with the code `emptyBody`.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONContentDecoder()
    ) throws(ApusError) -> Value {
        guard !data.isEmpty else { throw about(ApusError(.emptyBody, "there is no body to decode")) }
        do throws(ApusError) {
            return try decoder.decodeReporting(type, from: data)
        } catch {
            throw about(error)
        }
    }

    /// Returns the body as a string.
    ///
    /// - Parameter encoding: The encoding, or `nil` to use that of the response, else UTF-8. Default: `nil`.
    /// - Returns: The string.
    /// - Throws: `ApusError` with the code `stringDecodingFailed`, also if the `charset` of the response is unknown.
    public func string(encoding: String.Encoding? = nil) throws(ApusError) -> String {
        do throws(ApusError) {
            return try CharacterSetDecoding.string(data, encoding: encoding, contentType: fields[.contentType])
        } catch {
            throw about(error)
        }
    }

    /// Returns the error with the details of this response.
    package func about(_ error: ApusError) -> ApusError {
        error.about(method: request.method, target: request.target)
            .with(response: head, data: data)
            .with(exchanges: metrics.course)
    }
}

/// A response whose body is still being received.
public struct StreamedResponse: Sendable {
    /// The request message.
    public let request: RequestMessage
    /// The status.
    public let status: HTTPResponse.Status
    /// The header fields.
    public let fields: HTTPFields
    /// The body, decoded and with back-pressure. It can be read once.
    public let body: ResponseBody
    /// The target of this response: after redirects, the last one.
    public let target: TargetURI

    let context: RequestContext

    /// The status as a number.
    public var statusCode: Int { status.code }

    /// The response head as an `HTTPResponse`.
    public var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }

    /// The metrics recorded so far. Complete after the end of the body.
    public var metrics: RequestMetrics { context.metrics }

    /// The redirects that were followed to this response, in their order.
    public var redirects: [FollowedRedirect] { context.redirects }

    /// The declared length of the body in bytes, or `nil` if none is declared, or if the body is decoded.
    public var expectedLength: Int64? { fields.declaredLength }
}

extension HTTPFields {
    /// The declared length of the body in bytes, or `nil` if none is declared.
    package var declaredLength: Int64? { self[.contentLength].flatMap { Int64($0) } }
}

// Without this, reflection would print fields, bodies and query values, which may hold secrets.
extension Response: CustomStringConvertible {
    /// Status, method, URI and length, without fields and body.
    public var description: String { "\(status.code) \(request) (\(data.count) bytes)" }
}

// Without this, reflection would print fields, bodies and query values, which may hold secrets.
extension StreamedResponse: CustomStringConvertible {
    /// Status, method and URI, without fields and body.
    public var description: String { "\(status.code) \(request) (\(body))" }
}
