internal import FuzzDriver
internal import HTTPTypes
internal import NIOCore

@testable internal import ApusEngine

extension HTTP2FuzzClient {
    /// Records an event, and checks that it may follow those before it.
    mutating func note(_ event: HTTP2ConnectionStateMachine.Event) {
        switch event {
        case .informational(let stream, let head): noteInformational(head, of: stream)
        case .head(let stream, let head, let endStream): noteHead(head, endStream: endStream, of: stream)
        case .body(let stream, let part): noteBody(Array(part.readableBytesView), of: stream)
        case .end(let stream, let trailers): noteEnd(trailers, of: stream)
        case .failed(let stream, let failure):
            checkGoesOn(stream)
            require(!failure.reason.isEmpty, "a failure without a reason")
            let hasResponse = streams[stream].map { $0.hasHead || $0.informationalResponses > 0 } ?? false
            require(!failure.isUnprocessed || !hasResponse, "a response of stream \(stream), which was not processed")
            streams[stream]?.isFailed = true
            entries.append(.failed(stream, failure))
        case .writable(let stream):
            let known = streams[stream]
            require(known != nil, "stream \(stream) was never opened")
            let isGone = known?.isFailed == true || known?.isCancelled == true || known?.isUnwanted == true
            require(!isGone, "stream \(stream) is gone")
            entries.append(.writable(stream))
        case .requestNotWanted(let stream):
            require(streams[stream]?.isEnded == true, "the response on stream \(stream) is incomplete")
            require(streams[stream]?.isUnwanted == false, "stream \(stream) is gone")
            streams[stream]?.isUnwanted = true
            entries.append(.requestNotWanted(stream))
        case .goneAway(let code, let lastStream, let reason):
            require(!reason.isEmpty, "a GOAWAY without a reason")
            entries.append(.goneAway(code, lastStream, reason))
        case .pong(let token): entries.append(.pong(token))
        }
    }

    private func checkGoesOn(_ stream: Int32) {
        guard let known = streams[stream] else { fatalError("stream \(stream) was never opened") }
        require(!known.isOver, "an event after the end of stream \(stream)")
        require(!known.isCancelled, "an event after the cancellation of stream \(stream)")
    }

    private mutating func noteInformational(_ head: ReceivedHead, of stream: Int32) {
        checkGoesOn(stream)
        let code = head.status.code
        require(100..<200 ~= code && code != 101, "an informational response with code \(code)")
        require(streams[stream]?.hasHead == false, "an informational response after the final one")
        check(head.fields, byteCount: limits.headerListBytes)
        streams[stream]?.informationalResponses += 1
        let count = streams[stream]?.informationalResponses ?? 0
        require(count <= limits.informationalResponses, "\(count) informational responses")
        entries.append(.informational(stream, code, Self.lines(head.fields)))
    }

    private mutating func noteHead(_ head: ReceivedHead, endStream: Bool, of stream: Int32) {
        checkGoesOn(stream)
        let code = head.status.code
        require(200..<1_000 ~= code, "a final response with code \(code)")
        require(streams[stream]?.hasHead == false, "a second head")
        check(head.fields, byteCount: limits.headerListBytes)
        streams[stream]?.hasHead = true
        let announced = announcedBytes(head, of: stream)
        streams[stream]?.announcedBytes = announced
        entries.append(.head(stream, code, Self.lines(head.fields), endStream: endStream))
    }

    /// Returns the number of bytes that the body must have, or `nil` if any number may follow.
    private func announcedBytes(_ head: ReceivedHead, of stream: Int32) -> Int? {
        let code = head.status.code
        let method = streams[stream]?.method
        if method == .connect, 200..<300 ~= code { return nil }
        if method == .head || code == 204 || code == 304 { return 0 }
        return head.fields[.contentLength].flatMap { (text: String) -> Int? in Int(text) }
    }

    private mutating func noteBody(_ bytes: [UInt8], of stream: Int32) {
        checkGoesOn(stream)
        require(!bytes.isEmpty, "an empty part of a body")
        require(streams[stream]?.hasHead == true, "a body before its head")
        streams[stream]?.bodyBytes += bytes.count
        streams[stream]?.unreadBytes += bytes.count
        if let announced = streams[stream]?.announcedBytes, let count = streams[stream]?.bodyBytes {
            require(count <= announced, "a body of \(count) bytes for a length of \(announced)")
        }
        entries.append(.body(stream, bytes))
    }

    private mutating func noteEnd(_ trailers: HTTPFields?, of stream: Int32) {
        checkGoesOn(stream)
        require(streams[stream]?.hasHead == true, "an end before the head")
        if let trailers { check(trailers, byteCount: limits.trailerBytes) }
        let method = streams[stream]?.method
        if let announced = streams[stream]?.announcedBytes, announced > 0, method != .head {
            let count = streams[stream]?.bodyBytes
            require(count == announced, "ended after \(count ?? 0) of \(announced) bytes")
        }
        streams[stream]?.isEnded = true
        entries.append(.end(stream, trailers.map(Self.lines)))
    }

    private static func lines(_ fields: HTTPFields) -> [String] {
        fields.map { (field: HTTPField) -> String in "\(field.name.rawName): \(field.value)" }
    }

    /// Checks that fields are valid, and within the limits.
    private func check(_ fields: HTTPFields, byteCount limit: Int) {
        require(fields.count <= limits.fieldCount, "\(fields.count) fields")
        var byteCount = 0
        for field in fields {
            let name = field.name.rawName
            let value = field.withUnsafeBytesOfValue { (bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] in Array(bytes) }
            require(HTTPField.Name(name) != nil && name == name.lowercased(), "the name \(name)")
            require(HTTPField.isValidValue(value), "the value \(value)")
            byteCount += name.utf8.count + value.count + 32
        }
        require(byteCount <= limit, "a list of \(byteCount) bytes")
    }
}
