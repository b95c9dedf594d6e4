internal import HTTPTypes

/// Gathers the fields of one head that decide where its message ends and whether the connection lives on.
///
/// What is wrong with them is decided at the end of the head, because a 2xx answer to CONNECT is to be
/// read as if Content-Length and Transfer-Encoding were not there (RFC 9110 §9.3.6).
struct HTTP1FramingFields {
    private enum Length {
        case absent
        case value(Int)
        case invalid
        case conflict
    }

    private enum Coding {
        case absent
        case chunked
        case unsupported(String)
    }

    private var length: Length = .absent
    private var coding: Coding = .absent
    private(set) var saysClose = false
    private var saysKeepAlive = false

    /// - Parameter saysClose: Whether an informational response of the same exchange said so: the peer closes after
    ///   the exchange, whatever the final head says (RFC 9112 §9.6).
    init(saysClose: Bool = false) {
        self.saysClose = saysClose
    }

    /// Takes the value of one Content-Length line.
    ///
    /// The same number repeated, as further lines or as a list, is one length (RFC 9110 §8.6 allows it, hyper and
    /// Go read it so, and no recipient can see another end of the message); any other repetition is a fault.
    ///
    /// - Returns: The value to keep in the fields, so that one valid Content-Length is left of a repetition; nil: none.
    mutating func addContentLength(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) -> Range<Int>? {
        var kept: Range<Int>?
        var start = value.lowerBound
        repeat {
            var end = start
            while end < value.upperBound, bytes[end] != HTTP1Octets.comma { end += 1 }
            let member = HTTP1Octets.trimmed(bytes, start, end)
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

    /// Takes the value of one Transfer-Encoding line: `chunked` alone, once, is understood.
    mutating func addTransferEncoding(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        let received = String(decoding: bytes[value].prefix(64), as: UTF8.self)
        switch coding {
        case .absent: coding = HTTP1Octets.matches(bytes, value, "chunked") ? .chunked : .unsupported(received)
        case .chunked: coding = .unsupported("chunked, \(received)")
        case .unsupported: break
        }
    }

    /// Takes the options of one Connection line.
    mutating func addConnection(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        var start = value.lowerBound
        while start < value.upperBound {
            var end = start
            while end < value.upperBound, bytes[end] != HTTP1Octets.comma { end += 1 }
            let option = HTTP1Octets.trimmed(bytes, start, end)
            if HTTP1Octets.matches(bytes, option, "close") { saysClose = true }
            if HTTP1Octets.matches(bytes, option, "keep-alive") { saysKeepAlive = true }
            start = end + 1
        }
    }

    /// Decides the framing of the message by RFC 9112 §6.3 and the persistence by §9.3.
    func decide(
        status: Int,
        minorVersion: UInt8,
        isHead: Bool,
        isConnect: Bool
    ) throws(HTTP1ParseError) -> (framing: HTTP1ResponseParser.Framing, keepAlive: Bool) {
        if isConnect, 200..<300 ~= status { return (.upgraded, false) }
        let framing = try framing(minorVersion: minorVersion)
        let isPersistent = !saysClose && (minorVersion > 0 || saysKeepAlive)
        switch status {
        case 101:
            return (.upgraded, false)
        case 100..<200, 204:
            // A server that sends a length with these may send the body too, which would be read as the next answer.
            let isBodyAnnounced = framing != .untilClose && framing != .length(0)
            return (.none, isPersistent && !isBodyAnnounced)
        case 304:
            return (.none, isPersistent)
        default:
            if isHead { return (.none, isPersistent) }
            return (framing, isPersistent && framing != .untilClose)
        }
    }

    private func framing(minorVersion: UInt8) throws(HTTP1ParseError) -> HTTP1ResponseParser.Framing {
        switch coding {
        case .absent: break
        case .unsupported(let codings):
            throw .transferCodingUnsupported(codings)
        case .chunked:
            // RFC 9112 §6.1: a client has to treat the framing as faulty, even if a length is there too.
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

    /// The number that the digits in `range` spell, or nil: empty, something else, or above `Int.max`.
    private static func decimal(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var number = 0
        for index in range {
            guard HTTP1Octets.isDigit(bytes[index]) else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(Int(bytes[index] &- 0x30))
            if overflows || carries { return nil }
            number = sum
        }
        return number
    }
}
