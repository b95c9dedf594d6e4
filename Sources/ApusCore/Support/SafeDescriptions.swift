internal import Foundation
internal import HTTPTypes

// Descriptions without fields, bodies and query values, for types that may hold secrets. The default descriptions, made
// by reflection, would print all of them.

extension RequestBody: CustomStringConvertible {
    /// Kind and length of the body, without its bytes.
    public var description: String {
        let size = length.map { "\($0) bytes" } ?? "length unknown"
        return switch storage {
        case .none: "no body"
        case .bytes: size
        case .file: "file, \(size)"
        case .replayable: "stream, \(size)"
        case .once: "stream that can be read once, \(size)"
        }
    }
}

extension ResponseBody: CustomStringConvertible {
    /// Kind of the body and, if it is in memory, its length, without its bytes.
    public var description: String {
        switch storage {
        case .empty: "no body"
        case .whole(let chunk): "\(chunk.count) bytes"
        case .stream: "stream"
        }
    }
}

extension Response: CustomStringConvertible {
    /// Status, method, URI and length, without fields and body.
    public var description: String { "\(status.code) \(request) (\(data.count) bytes)" }
}

extension StreamedResponse: CustomStringConvertible {
    /// Status, method and URI, without fields and body.
    public var description: String { "\(status.code) \(request) (\(body))" }
}

extension DownloadedFile: CustomStringConvertible {
    /// Status, path and length.
    public var description: String { "\(status.code) \(fileURL.path) (\(byteCount) bytes)" }
}

extension ExchangeMetrics: CustomStringConvertible {
    /// Method, URI, status, duration, bytes and connection, on one line.
    public var description: String {
        let outcome = status.map { "\($0.code)" } ?? "no response"
        let time = end.map { " in \(begin.duration(to: $0).formatted)" } ?? ""
        let connection = connectionNumber.map { ", connection \($0)\(isReused ? " (reused)" : "")" } ?? ""
        let peer = remoteAddress.map { " to \($0)" } ?? ""
        return "\(method.rawValue) \(target): \(outcome)\(time), \(responseBodyBytes) bytes\(connection)\(peer)"
    }
}

extension RequestMetrics: CustomStringConvertible {
    /// One line per exchange.
    public var description: String { exchanges.map(\.description).joined(separator: "\n") }
}

extension RequestEvent: CustomStringConvertible {
    /// A short description of the event.
    public var description: String {
        switch self {
        case .resumed: "resumed"
        case .suspended: "suspended"
        case .cancelled: "cancelled"
        case .created(let request): "created: \(request)"
        case .creationFailed(let error): "not created: \(error)"
        case .adapted(let request): "adapted: \(request)"
        case .adaptationFailed(let error): "not adapted: \(error)"
        case .exchangeBegan(let method, let target, let cause):
            "exchange began (\(cause.rawValue)): \(method.rawValue) \(target)"
        case .contentSent(let count, let total): "sent \(Self.progress(count, total))"
        case .informational(let response): "informational response: \(Self.status(response))"
        case .redirected(let response, let next?): "redirected: \(Self.status(response)), to \(next)"
        case .redirected(let response, nil): "redirected: \(Self.status(response)), not followed"
        case .challenged(let response, let scheme?): "challenged: \(Self.status(response)), answered by \(scheme)"
        case .challenged(let response, nil): "challenged: \(Self.status(response)), not answered"
        case .responded(let response): "responded: \(Self.status(response))"
        case .exchangeEnded(let record): "exchange ended: \(record.metrics)"
        case .validated(nil): "valid"
        case .validated(let error?): "invalid: \(error)"
        case .destinationChosen(let url): "destination: \(url.path)"
        case .contentReceived(let count, let total): "received \(Self.progress(count, total))"
        case .downloaded(let url): "downloaded to \(url.path)"
        case .completed(nil): "complete"
        case .completed(let error?): "failed: \(error)"
        case .serialized(let duration, nil): "serialized in \(duration.formatted)"
        case .serialized(_, let error?): "not serialized: \(error)"
        case .waitingForConnectivity: "waiting for a network"
        case .retrying(let delay, nil): "retrying after \(delay.formatted), although it succeeded"
        case .retrying(let delay, let error?): "retrying after \(delay.formatted): \(error.code)"
        case .finished: "finished"
        }
    }

    /// Returns the status, without any secrets in its reason phrase.
    private static func status(_ response: HTTPResponse) -> String { Redaction.text("\(response.status)") }

    private static func progress(_ count: Int64, _ total: Int64?) -> String {
        total.map { "\(count) of \($0) bytes" } ?? "\(count) bytes"
    }
}

extension SessionConfiguration: CustomStringConvertible {
    /// Timeouts, limits and counts, without field values and trust settings.
    public var description: String {
        "\(timeouts), \(pool), \(limits), \(requestsInFlight) requests in flight, \(fields.count) fields, "
            + "\(middleware.count + networkMiddleware.count) middlewares, \(eventMonitors.count) monitors"
    }
}
