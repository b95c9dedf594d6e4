internal import ApusEngine
internal import HTTPTypes
internal import NIOCore

/// The events of a parser for a stream of bytes, in a form that does not depend on the reads.
struct HTTP1Transcript: Equatable, CustomStringConvertible {
    struct Field: Equatable, CustomStringConvertible {
        var name: String
        var value: [UInt8]

        var description: String { "\(name): \(String(decoding: value, as: UTF8.self))" }
    }

    struct Head: Equatable {
        var code: Int
        var reason: String
        var minorVersion: UInt8
        var fields: [Field]
        var framing: HTTP1ResponseParser.Framing
        var keepAlive: Bool
    }

    enum Entry: Equatable {
        case informational(Head)
        case head(Head)
        case body([UInt8])
        case end([Field]?)
        case failure(HTTP1ParseError)
    }

    var entries: [Entry] = []
    /// The bytes that the parser left in the buffer after the end.
    var leftOver = 0

    var description: String { entries.map { "\($0)" }.joined(separator: "\n") + "\nleft over: \(leftOver)" }

    var failure: HTTP1ParseError? {
        if case .failure(let error)? = entries.last { error } else { nil }
    }

    var head: Head? {
        for case .head(let head) in entries { return head }
        return nil
    }

    var body: [UInt8] {
        for case .body(let bytes) in entries { return bytes }
        return []
    }

    var trailers: [Field]? {
        if case .end(let fields)? = entries.last { fields } else { nil }
    }

    var isComplete: Bool {
        if case .end? = entries.last { true } else { false }
    }

    mutating func add(body bytes: [UInt8]) {
        if case .body(let known)? = entries.last {
            entries[entries.count - 1] = .body(known + bytes)
        } else {
            entries.append(.body(bytes))
        }
    }

    static func fields(_ fields: HTTPFields) -> [Field] {
        fields.map { field in
            Field(name: field.name.rawName, value: field.withUnsafeBytesOfValue { Array($0) })
        }
    }
}

extension HTTP1Transcript {
    /// Parses `bytes` in pieces that end at `cuts`. If `closes`, the connection closes after the last byte.
    init(
        of bytes: [UInt8],
        cuts: [Int] = [],
        method: HTTPRequest.Method = .get,
        limits: HTTP1Limits = HTTP1Limits(),
        requestsUpgrade: Bool = true,
        closes: Bool = true
    ) {
        var parser = HTTP1ResponseParser(limits: limits)
        self.init(
            of: bytes,
            cuts: cuts,
            method: method,
            requestsUpgrade: requestsUpgrade,
            closes: closes,
            by: &parser
        )
    }

    init(
        of bytes: [UInt8],
        cuts: [Int] = [],
        method: HTTPRequest.Method = .get,
        requestsUpgrade: Bool = true,
        closes: Bool = true,
        by parser: inout HTTP1ResponseParser
    ) {
        parser.begin(method: method, requestsUpgrade: requestsUpgrade)
        var buffer = ByteBuffer()
        var start = 0
        for cut in cuts + [bytes.count] {
            buffer.writeBytes(bytes[start..<cut])
            start = cut
            do throws(HTTP1ParseError) {
                while let event = try parser.next(&buffer) { add(event) }
            } catch {
                entries.append(.failure(error))
                return
            }
        }
        leftOver = buffer.readableBytes
        guard closes, !parser.isBetweenMessages else { return }
        do throws(HTTP1ParseError) {
            add(try parser.finish())
        } catch {
            entries.append(.failure(error))
        }
    }

    init(
        of text: String,
        method: HTTPRequest.Method = .get,
        limits: HTTP1Limits = HTTP1Limits(),
        requestsUpgrade: Bool = true,
        closes: Bool = true
    ) {
        self.init(
            of: Array(text.utf8),
            method: method,
            limits: limits,
            requestsUpgrade: requestsUpgrade,
            closes: closes
        )
    }

    private mutating func add(_ event: HTTP1ResponseParser.Event) {
        switch event {
        case .informational(let head): entries.append(.informational(Head(head)))
        case .head(let head): entries.append(.head(Head(head)))
        case .body(let bytes): add(body: Array(bytes.readableBytesView))
        case .end(let trailers): entries.append(.end(trailers.map(Self.fields)))
        }
    }
}

extension HTTP1Transcript.Head {
    init(_ head: HTTP1ResponseParser.Head) {
        self.init(
            code: head.status.code,
            reason: head.status.reasonPhrase,
            minorVersion: head.minorVersion,
            fields: HTTP1Transcript.fields(head.fields),
            framing: head.framing,
            keepAlive: head.keepAlive
        )
    }
}

extension HTTP1Limits {
    /// The default limits with strict parsing.
    static var strict: HTTP1Limits { HTTP1Limits(isStrict: true) }
}
