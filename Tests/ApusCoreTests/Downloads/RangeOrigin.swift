internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes

@testable internal import ApusCore

/// Responds to requests for ranges of a text, as an origin server does.
struct RangeOrigin: Sendable {
    let content: String
    var tag: String? = "\"1\""
    private let chunkBytes = 10

    init(_ content: String, tag: String? = "\"1\"") {
        self.content = content
        self.tag = tag
    }

    /// Returns a text without repetitions in reach of a segment.
    static func text(_ count: Int, from first: Unicode.Scalar = "a") -> String {
        String(decoding: (0..<count).map { UInt8(ascii: first) + UInt8($0 % 23) }, as: UTF8.self)
    }

    /// Returns the range that a request gets. `nil` for the whole text.
    func range(of request: RequestMessage) -> Range<Int>? {
        guard let text = request.fields[.range], text.hasPrefix("bytes=") else { return nil }
        if let condition = request.fields[.ifRange], condition != tag { return nil }
        let bounds = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let count = content.utf8.count
        guard bounds.count == 2, let first = bounds[0], first < count else { return nil }
        return first..<min(bounds[1].map { $0 + 1 } ?? count, count)
    }

    /// Returns the response to a request, whose body is cut off after a number of bytes.
    func response(to request: RequestMessage, cutAfter limit: Int? = nil) -> MockResponse {
        let bytes = Array(content.utf8)
        let wanted = range(of: request)
        let body = bytes[wanted ?? 0..<bytes.count]
        var fields: HTTPFields = [:]
        fields[.eTag] = tag
        fields[.contentLength] = "\(body.count)"
        if let wanted { fields[.contentRange] = "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(bytes.count)" }
        let sent = body.prefix(limit ?? body.count)
        let chunks = stride(from: 0, to: sent.count, by: chunkBytes).map { offset in
            BodyChunk(sent.dropFirst(offset).prefix(chunkBytes))
        }
        return MockResponse(
            status: wanted == nil ? .ok : .partialContent,
            fields: fields,
            chunks: chunks,
            failure: limit == nil ? nil : ApusError(.connectionClosed, "cut off")
        )
    }
}

extension TestSession {
    /// The ranges that were requested, sorted. A request without one is `whole`.
    var ranges: [String] { transport.requests.map { $0.fields[.range] ?? "whole" }.sorted() }
}

extension RequestMessage {
    /// The text behind the dash of its range: the last byte, if the range has one.
    var rangeEnd: String {
        fields[.range]?.split(separator: "-", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    }
}
