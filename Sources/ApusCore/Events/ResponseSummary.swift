public import Foundation
public import HTTPTypes

/// A response as monitors see it: head, times, error, and the beginning of the body.
///
/// ```swift
/// monitor.requestDidComplete = { request, response in
///     print("\(request): \(response)")
///     if let text = response.bodyText { print(text) }
/// }
/// ```
///
/// It keeps no more of the body alive than 4 KiB, or four times as many bytes as the monitors ask for. Text is decoded
/// and redacted when it is read.
public struct ResponseSummary: Sendable {
    /// The result that the summary is about. A direct call has a response, whose result is made only for a reader.
    private enum Source {
        case result(RawResponse)
        case response(Response)
    }

    private let source: Source
    private let failure: ApusError?
    /// The size of a body in memory, of which `raw` may hold only the beginning.
    private let byteCount: Int
    private let limit: Int

    /// The running time of the serializer. `nil` if none has run.
    public let serializationDuration: Duration?

    /// Creates the summary of a result.
    ///
    /// - Parameters:
    ///   - raw: The result.
    ///   - limit: The maximum number of bytes of the body.
    ///   - duration: The running time of the serializer. Default: `nil`.
    ///   - failure: The error of the serializer. Default: `nil`.
    init(
        of raw: RawResponse,
        upTo limit: Int,
        serializedIn duration: Duration? = nil,
        failure: ApusError? = nil
    ) {
        self.source = .result(raw.beginning(upTo: limit))
        self.failure = failure
        self.byteCount = raw.data?.count ?? 0
        self.limit = limit
        self.serializationDuration = duration
    }

    /// Creates the summary of a response that a direct call returns.
    init(of response: Response, upTo limit: Int) {
        let byteCount = response.data.count
        let isShared = RawResponse.sharesBody(of: byteCount, upTo: limit)
        self.source = isShared ? .response(response) : .result(response.raw.beginning(upTo: limit))
        self.failure = nil
        self.byteCount = byteCount
        self.limit = limit
        self.serializationDuration = nil
    }

    /// Creates the summary of a request without a response.
    package init(error: ApusError? = nil, serializationDuration: Duration? = nil) {
        let raw = RawResponse(request: nil, head: nil, metrics: RequestMetrics(first: nil), error: error)
        self.init(of: raw, upTo: 0, serializedIn: serializationDuration)
    }

    private var raw: RawResponse {
        switch source {
        case .result(let raw): raw
        case .response(let response): response.raw
        }
    }

    /// The request message of the attempt. `nil` if it could not be built.
    public var request: RequestMessage? { raw.request }

    /// The response head. `nil` if there was no response.
    public var response: HTTPResponse? { raw.head?.response }

    /// The status. `nil` if there was no response.
    public var status: HTTPResponse.Status? { raw.head?.status }

    /// The header fields. Empty if there was no response.
    public var fields: HTTPFields { raw.head?.fields ?? [:] }

    /// The error of the attempt or of the serializer. `nil` if both succeeded.
    public var error: ApusError? { raw.error ?? failure }

    /// The metrics of the request.
    public var metrics: RequestMetrics { raw.metrics }

    /// The time from the beginning of the first exchange to the latest end.
    public var duration: Duration { raw.metrics.duration }

    /// The size of the body in bytes, after decoding. For a body that is not in memory, that of a download or a stream,
    /// it is the number of bytes that the last exchange received, before decoding.
    public var bodyBytes: Int64 {
        raw.data == nil ? raw.metrics.exchanges.last?.responseBodyBytes ?? 0 : Int64(byteCount)
    }

    /// The beginning of a body in memory, as it was received and decoded. It has at most as many bytes as the monitors
    /// ask for with ``EventMonitor/bodyPrefixBytes``. For a rejected response it is the part that the error keeps.
    public var bodyPrefix: Data { raw.data?.prefix(limit) ?? Data() }

    /// The text of `bodyPrefix`, decoded by its charset, without secrets and characters that control a terminal.
    ///
    /// `nil` if there is no body in memory, if its media type is not text or JSON, XML or a form, or if its content
    /// coding was not decoded. A text that is cut off ends in "…".
    public var bodyText: String? { shownBody(upTo: limit)?.text }

    /// The destination of a downloaded body. With retriers, the file is there after they have decided. `nil` if the
    /// request failed or its body is in memory.
    public var fileURL: URL? { raw.fileURL }

    /// Returns the body in memory with at most this number of bytes. `nil` if no body is in memory.
    func shownBody(upTo count: Int) -> ShownBody? {
        raw.data.map { ShownBody($0.prefix(min(count, limit)), of: Int64(byteCount), fields) }
    }

    /// The size and media type of the body, and the destination of a file: `48 B of application/json`.
    var bodyOutcome: String {
        let body = shownBody(upTo: 0) ?? ShownBody(Data(), of: bodyBytes, fields)
        return body.summary + (fileURL.map { ", to \($0.path(percentEncoded: false))" } ?? "")
    }
}

extension ResponseSummary: CustomStringConvertible, CustomDebugStringConvertible {
    /// Status, size, media type and duration, and the error if there is one, without secrets.
    public var description: String {
        let outcome = status.map { "\(Redaction.text("\($0)")), \(bodyOutcome)" } ?? "no response"
        let result = "\(outcome) in \(duration.formatted)"
        return error.map { "\(result): \($0)" } ?? result
    }

    /// Request, response, text body or file, times and error, with secrets removed.
    public var debugDescription: String {
        var lines = raw.debugLines(bodyBytes: byteCount, upTo: limit)
        if let serializationDuration {
            lines.append("[Serialization duration]: \(serializationDuration.formatted)")
        }
        lines.append("[Result]: \(error?.debugText(showsBody: false) ?? "success")")
        return lines.joined(separator: "\n")
    }
}
