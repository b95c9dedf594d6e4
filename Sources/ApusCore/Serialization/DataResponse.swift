public import Foundation
public import HTTPTypes

/// What came of a request: the value or the error, and all that is known besides.
public struct DataResponse<Success: Sendable>: Sendable {
    /// What was asked for; `nil` where it could not even be built.
    public var request: RequestMessage? { raw.request }
    /// The content as it came, decoded; `nil` where there was no answer.
    public var data: Data? { raw.data }
    /// What was measured.
    public var metrics: RequestMetrics { raw.metrics }
    /// How long it took to make the value of the content.
    public let serializationDuration: Duration
    /// The value or the error.
    public let result: Result<Success, ApusError>

    private let raw: RawResponse

    init(raw: RawResponse, serializationDuration: Duration, result: Result<Success, ApusError>) {
        self.raw = raw
        self.serializationDuration = serializationDuration
        self.result = result
    }

    /// The head of the answer; `nil` where there was none.
    public var response: HTTPResponse? { raw.head?.response }

    /// The value; `nil` where the request failed.
    public var value: Success? { try? result.get() }

    /// The error; `nil` where the request succeeded.
    public var error: ApusError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The same with another value.
    public func map<New>(_ transform: (Success) -> New) -> DataResponse<New> {
        replacing(result.map(transform))
    }

    /// The same with another value; what `transform` throws becomes the error.
    public func tryMap<New>(_ transform: (Success) throws -> New) -> DataResponse<New> {
        replacing(
            result.flatMap { value in
                do {
                    return .success(try transform(value))
                } catch {
                    return .failure(
                        ApusError.wrapping(error) {
                            ApusError(.serializerFailed, Redaction.text(String(describing: $0)), underlying: $0)
                        }
                    )
                }
            }
        )
    }

    /// The same with another error.
    public func mapError(_ transform: (ApusError) -> ApusError) -> DataResponse<Success> {
        replacing(result.mapError(transform))
    }

    private func replacing<New>(_ result: Result<New, ApusError>) -> DataResponse<New> {
        DataResponse<New>(raw: raw, serializationDuration: serializationDuration, result: result)
    }
}

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result alone.
    public var description: String { "\(result)" }

    /// Request, answer, sizes, times and result, with secrets taken out.
    public var debugDescription: String {
        var lines = ["[Request]: \(request.map { "\($0.method.rawValue) \(Redaction.url($0.target.uri))" } ?? "none")"]
        if let head = raw.head {
            lines.append("[Response]: \(head.status.code) \(head.status.reasonPhrase)")
            lines += Redaction.fields(head.fields).map { "    \($0.name): \($0.value)" }
        } else {
            lines.append("[Response]: none")
        }
        lines.append("[Content]: \(data.map { "\($0.count) bytes" } ?? "none")")
        lines.append("[Network duration]: \(metrics.duration.spoken)")
        lines.append("[Serialization duration]: \(serializationDuration.spoken)")
        switch result {
        case .success(let value): lines.append("[Result]: success, \(type(of: value))")
        case .failure(let error): lines.append("[Result]: \(error.debugDescription)")
        }
        return lines.joined(separator: "\n")
    }
}

/// The head of an answer, kept apart: making an `HTTPResponse` costs an allocation that most never ask for.
struct ResponseHead: Sendable {
    let status: HTTPResponse.Status
    let fields: HTTPFields

    var response: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}

/// What came of the attempt, before any serializer; shared by all of them.
final class RawResponse: Sendable {
    let request: RequestMessage?
    let head: ResponseHead?
    let data: Data?
    let metrics: RequestMetrics
    let error: ApusError?

    init(
        request: RequestMessage? = nil,
        head: ResponseHead? = nil,
        data: Data? = nil,
        metrics: RequestMetrics,
        error: ApusError? = nil
    ) {
        self.request = request
        self.head = head
        self.data = data
        self.metrics = metrics
        self.error = error
    }

    /// What is left of an answer where the request failed.
    convenience init(request: RequestMessage?, metrics: RequestMetrics, error: ApusError) {
        let head = error.response.map { ResponseHead(status: $0.status, fields: $0.headerFields) }
        self.init(request: request, head: head, data: error.data, metrics: metrics, error: error)
    }
}
