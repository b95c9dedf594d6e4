public import Foundation
public import HTTPTypes

/// A whole answer, as the direct calls return it.
///
/// ```swift
/// let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
/// ```
public struct Response: Sendable {
    /// Shared, so that handing an answer on costs a pointer.
    private final class Contents: Sendable {
        let request: RequestMessage
        let collected: Collected
        let metrics: RequestMetrics

        init(_ request: RequestMessage, _ collected: Collected, _ metrics: RequestMetrics) {
            self.request = request
            self.collected = collected
            self.metrics = metrics
        }
    }

    private let contents: Contents

    init(request: RequestMessage, collected: Collected, metrics: RequestMetrics) {
        self.contents = Contents(request, collected, metrics)
    }

    /// What was asked for.
    public var request: RequestMessage { contents.request }
    /// The status.
    public var status: HTTPResponse.Status { contents.collected.head.status }
    /// The fields.
    public var fields: HTTPFields { contents.collected.head.fields }
    /// The content, decoded.
    public var data: Data { contents.collected.data }
    /// The trailer fields; `nil` where there were none.
    public var trailers: HTTPFields? { contents.collected.trailers }
    /// What was measured.
    public var metrics: RequestMetrics { contents.metrics }
    /// The redirects that were followed on the way to this answer, in their order.
    public var history: [FollowedRedirect] { contents.metrics.redirects }
    /// What this is the answer to: after redirects, the last target.
    public var target: TargetURI { contents.collected.target }

    /// The head as the ecosystem's currency type.
    public var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }

    /// Returns the answer where its status is one of `statusCodes`.
    ///
    /// - Parameter statusCodes: The acceptable statuses; 200 to 299 by default.
    /// - Returns: The answer itself.
    /// - Throws: `ApusError` with the code `unacceptableStatus`; it keeps the content.
    @discardableResult
    public func validate(statusCodes: Range<Int> = 200..<300) throws(ApusError) -> Response {
        guard statusCodes.contains(status.code) else {
            let reason = status.reasonPhrase.isEmpty ? "" : " (\(Redaction.text(Excerpt.of(status.reasonPhrase))))"
            throw about(ApusError(.unacceptableStatus, "the status is \(status.code)\(reason)"))
        }
        return self
    }

    /// Decodes the content.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. Default: `JSONContentDecoder`.
    /// - Returns: The value.
    /// - Throws: `ApusError` with the code `decodingFailed` and the place in the content, or `emptyBody`.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: any DataDecoder = JSONContentDecoder()
    ) throws(ApusError) -> Value {
        guard !data.isEmpty else { throw about(ApusError(.emptyBody, "there is no content to decode")) }
        do throws(ApusError) {
            return try decoder.decodeReporting(type, from: data)
        } catch {
            throw about(error)
        }
    }

    /// The content as a string.
    ///
    /// - Parameter encoding: The encoding; `nil` (the default) believes the answer, and takes UTF-8 where it says none.
    /// - Returns: The string.
    /// - Throws: `ApusError` with the code `stringDecodingFailed`, also if the `charset` of the answer is not known.
    public func string(encoding: String.Encoding? = nil) throws(ApusError) -> String {
        do throws(ApusError) {
            return try CharacterSetDecoding.string(data, encoding: encoding, contentType: fields[.contentType])
        } catch {
            throw about(error)
        }
    }

    /// The error with what is known of the answer that it is about.
    package func about(_ error: ApusError) -> ApusError {
        error.about(method: request.method, target: request.target)
            .with(response: head, data: data)
            .with(hops: metrics.course)
    }
}

/// An answer whose content is still on its way.
public struct StreamedResponse: Sendable {
    /// What was asked for.
    public let request: RequestMessage
    /// The status.
    public let status: HTTPResponse.Status
    /// The fields.
    public let fields: HTTPFields
    /// The content under back-pressure, decoded; it can be read once.
    public let body: ResponseBody
    /// What this is the answer to: after redirects, the last target.
    public let target: TargetURI

    let context: RequestContext

    /// The head as the ecosystem's currency type.
    public var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }

    /// What has been measured so far; whole after the end of the content.
    public var metrics: RequestMetrics { context.metrics }

    /// The redirects that were followed on the way to this answer, in their order.
    public var history: [FollowedRedirect] { context.history }

    /// How many bytes the head promises; `nil` where it does not say.
    public var expectedLength: Int64? { fields.promisedLength }
}

extension HTTPFields {
    /// How many bytes of content they promise; `nil` where they do not say.
    var promisedLength: Int64? { self[.contentLength].flatMap { Int64($0) } }
}
