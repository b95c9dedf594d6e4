internal import HTTPTypes

/// Collects the fields of a head that decide the end of the message and the reuse of the connection.
///
/// Errors are reported at the end of the head. A 2xx response to CONNECT must ignore Content-Length and
/// Transfer-Encoding (RFC 9110 §9.3.6), as must a response without content, which ends with its head (RFC 9112 §6.3).
struct HTTP1FramingFields {
    /// The parts of a request that affect the framing of its response.
    struct Request {
        var isHead = false
        var isConnect = false
        var requestsUpgrade = false
    }

    private enum Length {
        case absent
        case value(Int)
        case invalid
        case conflict
    }

    private enum Coding {
        case absent
        case chunked
        /// No coding, under its RFC 2616 name, as received.
        case identity(String)
        case unsupported(String)
    }

    private var length: Length = .absent
    private var coding: Coding = .absent
    private(set) var hasClose = false
    private var hasKeepAlive = false
    private var isFolded = false

    /// - Parameter hasClose: Whether an informational response of the same exchange ends the connection: it has
    ///   `Connection: close` (RFC 9112 §9.6), or announced a body, which could be mistaken for the final response.
    init(hasClose: Bool = false) {
        self.hasClose = hasClose
    }

    /// Takes the value of one Content-Length line.
    ///
    /// A repeated number, on several lines or in a list, counts as one length: RFC 9110 §8.6 allows it, hyper and Go
    /// accept it, and all recipients find the same end of the message. Any other repetition is an error.
    ///
    /// - Returns: The value to keep in the fields, so that a repeated Content-Length is kept once, or `nil` for none.
    mutating func addContentLength(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) -> Range<Int>? {
        var kept: Range<Int>?
        var start = value.lowerBound
        repeat {
            var end = start
            while end < value.upperBound, bytes[end] != HTTPOctets.comma { end += 1 }
            let member = HTTPOctets.trimmed(bytes, start, end)
            start = end + 1
            switch (length, Self.decimal(bytes, member)) {
            case (.absent, let number?):
                length = .value(number)
                kept = member
            case (.value(let known), let number?) where known == number: break
            case (.value, _?):
                length = .conflict
                return value
            case (.invalid, _), (.conflict, _): return value
            case (_, nil):
                length = .invalid
                return value
            }
        } while start <= value.upperBound
        return kept
    }

    /// Takes the value of one Transfer-Encoding line. Only a single `chunked` is supported.
    mutating func addTransferEncoding(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        let received = String(decoding: bytes[value].prefix(64), as: UTF8.self)
        switch coding {
        case .absent where HTTPOctets.matches(bytes, value, "chunked"): coding = .chunked
        case .absent where HTTPOctets.matches(bytes, value, "identity"): coding = .identity(received)
        case .absent: coding = .unsupported(received)
        case .chunked: coding = .unsupported("chunked, \(received)")
        case .identity(let first): coding = .unsupported("\(first), \(received)")
        case .unsupported: break
        }
    }

    /// Records that Content-Length or Transfer-Encoding is folded over several lines.
    ///
    /// A recipient that does not unfold it would find a different end of the message.
    mutating func noteFold() {
        isFolded = true
    }

    /// Takes the options of one Connection line.
    mutating func addConnection(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != HTTPOctets.comma { end += 1 }
            let option = HTTPOctets.trimmed(bytes, start, end)
            if HTTPOctets.matches(bytes, option, "close") { hasClose = true }
            if HTTPOctets.matches(bytes, option, "keep-alive") { hasKeepAlive = true }
            start = end + 1
        }
    }

    /// Decides the framing of the message by RFC 9112 §6.3 and the persistence by §9.3.
    func decide(
        status: Int,
        minorVersion: UInt8,
        request: Request,
        isStrict: Bool
    ) throws(HTTP1ParseError) -> (framing: HTTP1ResponseParser.Framing, keepAlive: Bool) {
        if request.isConnect, 200..<300 ~= status { return (.upgraded, false) }
        let isPersistent = !hasClose && (minorVersion > 0 || hasKeepAlive)
        if request.isHead || status < 200 || status == 204 || status == 304 {
            let announced = try announced(minorVersion: minorVersion, isStrict: isStrict)
            switch status {
            case 101:
                guard request.requestsUpgrade else { throw .unrequestedUpgrade }
                return (.upgraded, false)
            case 100..<200, 204:
                // A server that announces a length may also send the body, which would be read as the next response.
                return (.none, isPersistent && (announced == .untilClose || announced == .length(0)))
            default:
                return (.none, isPersistent && announced != nil)
            }
        }
        let framing = try framing(minorVersion: minorVersion, isStrict: isStrict)
        // Some recipients ignore a length next to Transfer-Encoding, so the connection is not reused.
        return (framing, isPersistent && framing != .untilClose && !isIdentity)
    }

    /// Returns the body announced by the head of a response without content. `nil` if its fields contradict each other
    /// or do not define the end of a body.
    private func announced(
        minorVersion: UInt8,
        isStrict: Bool
    ) throws(HTTP1ParseError) -> HTTP1ResponseParser.Framing? {
        do throws(HTTP1ParseError) {
            let framing = try framing(minorVersion: minorVersion, isStrict: isStrict)
            return isIdentity ? nil : framing
        } catch {
            if isStrict { throw error }
            return nil
        }
    }

    private var isIdentity: Bool {
        if case .identity = coding { true } else { false }
    }

    private func framing(
        minorVersion: UInt8,
        isStrict: Bool
    ) throws(HTTP1ParseError) -> HTTP1ResponseParser.Framing {
        if isFolded { throw .framingFieldFolded }
        switch coding {
        case .absent: break
        case .unsupported(let codings):
            throw .transferCodingUnsupported(codings)
        case .identity(let received):
            if isStrict { throw .transferCodingUnsupported(received) }
            if minorVersion == 0 { throw .transferEncodingInHTTP10 }
        case .chunked:
            // RFC 9112 §6.1: a client must treat the framing as faulty, even if there is a length too.
            if minorVersion == 0 { throw .transferEncodingInHTTP10 }
            guard case .absent = length else { throw .lengthWithTransferEncoding }
            return .chunked
        }
        switch length {
        case .absent: return .untilClose
        case .value(let number): return .length(number)
        case .invalid: throw .contentLengthInvalid
        case .conflict: throw .contentLengthConflict
        }
    }

    /// Returns the number spelled in `range`. `nil` if it is empty, not a number, or above `Int.max`.
    private static func decimal(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var number = 0
        for index in range {
            guard HTTPOctets.isDigit(bytes[index]) else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(Int(bytes[index] &- 0x30))
            if overflows || carries { return nil }
            number = sum
        }
        return number
    }
}
