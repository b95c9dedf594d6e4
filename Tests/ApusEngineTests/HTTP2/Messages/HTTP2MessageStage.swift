internal import ApusEngine
internal import HTTPTypes
internal import NIOCore

/// Passes the header lists and the content of one stream to a response decoder.
struct HTTP2MessageStage {
    private var hpack = HPACKDecoder()
    private var decoder: HTTP2ResponseDecoder

    init(_ method: HTTPRequest.Method = .get, limits: HTTP2Limits = HTTP2Limits()) {
        decoder = HTTP2ResponseDecoder(method: method, limits: limits)
    }

    /// Returns the text of the event for a header list.
    @discardableResult
    mutating func receive(_ lines: [(String, String)], endStream: Bool = false) throws -> String {
        let lines = lines.map { (name: String, value: String) -> HTTP2MessageLine in HTTP2MessageLine(name, value) }
        return Self.text(try receive(HTTP2MessageLine.block(lines), endStream: endStream))
    }

    mutating func receive(_ block: ByteBuffer, endStream: Bool) throws -> HTTP2ResponseDecoder.Event {
        var response = decoder
        defer { decoder = response }
        response.begin()
        try hpack.decode(block) { (line: HPACKHeader) -> Bool in response.take(line) }
        return try response.end(endStream: endStream)
    }

    mutating func receiveBody(_ count: Int, endStream: Bool = false) throws(HTTP2StreamError) {
        try decoder.takeBody(count, endStream: endStream)
    }

    /// Returns the error of a header list, or `nil` if it has none.
    mutating func failure(_ lines: [(String, String)], endStream: Bool = false) throws -> HTTP2StreamError? {
        do {
            try receive(lines, endStream: endStream)
            return nil
        } catch let error as HTTP2StreamError {
            return error
        }
    }

    /// Returns the error of a part of the content, or `nil` if it has none.
    mutating func bodyFailure(_ count: Int, endStream: Bool = false) -> HTTP2StreamError? {
        do throws(HTTP2StreamError) {
            try receiveBody(count, endStream: endStream)
            return nil
        } catch {
            return error
        }
    }

    static func text(_ event: HTTP2ResponseDecoder.Event) -> String {
        switch event {
        case .informational(let head): "informational " + text(head)
        case .head(let head): "head " + text(head)
        case .trailers(let fields): fields.map { (fields: HTTPFields) -> String in "trailers" + text(fields) } ?? "end"
        }
    }

    private static func text(_ head: ReceivedHead) -> String {
        "\(head.status.code)\(head.isPlain ? "" : " demanding")" + text(head.fields)
    }

    private static func text(_ fields: HTTPFields) -> String {
        fields.map { (field: HTTPField) -> String in "|\(field.name.rawName): \(field.value)" }.joined()
    }
}
