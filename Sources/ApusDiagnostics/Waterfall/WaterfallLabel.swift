internal import ApusCore
internal import HTTPTypes

/// The texts of a waterfall, safe to show on a terminal.
enum WaterfallLabel {
    /// Returns the text on one line, with `�` for control characters, line breaks and direction marks.
    static func clean(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
                0xFFF9...0xFFFB, 0xFFFE, 0xFFFF:
                scalars.append("\u{FFFD}")
            default:
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// Returns the path and query, without the values of the query.
    static func path(of target: TargetURI) -> String {
        let base = "\(target.origin.scheme.rawValue)://\(target.authority)"
        return clean(String(Redaction.url(target.uri).dropFirst(base.count)))
    }

    /// Returns all details of an exchange, one per line.
    static func details(of exchange: ExchangeMetrics, spans: [WaterfallSpan], duration: Duration) -> [String] {
        var lines = ["\(exchange.method.rawValue) \(Redaction.url(exchange.target.uri))"]
        let outcome = exchange.status.map { "\($0.code)" } ?? (exchange.end == nil ? "in progress" : "no response")
        let cause = exchange.cause == .first ? "" : ", a \(exchange.cause.rawValue)"
        lines.append("\(outcome), \(WaterfallScale.label(duration))\(cause)")
        lines += spans.filter { $0.end > $0.begin }.map { "\($0.phase.name) \(WaterfallScale.label($0.duration))" }
        let sent = Int64(exchange.requestHeadBytes) + exchange.requestBodyBytes
        let received = Int64(exchange.responseHeadBytes) + exchange.responseBodyBytes
        if sent + received > 0 { lines.append("\(sent) bytes sent, \(received) received") }
        if let connection = connection(of: exchange) { lines.append(connection) }
        if exchange.resendCount > 0 { lines.append("resent \(exchange.resendCount) ×: the connection was dead") }
        if !exchange.informational.isEmpty {
            lines.append("informational: " + exchange.informational.map { "\($0.status.code)" }.joined(separator: ", "))
        }
        if let error = exchange.error { lines.append("\(error.code.name): \(Redaction.text(error.detail))") }
        return lines.map(clean)
    }

    private static func connection(of exchange: ExchangeMetrics) -> String? {
        let stream = exchange.streamNumber.map { ", stream \($0)" } ?? ""
        let kind = exchange.connectionNumber.map { "connection \($0)\(exchange.isReused ? ", reused" : "")\(stream)" }
        let parts = [kind, exchange.remoteAddress, exchange.networkProtocol, exchange.tlsVersion].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Returns the number of columns that a text takes on a terminal.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation { return 2 }
        switch scalar.value {
        case 0x0300...0x036F: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// Returns the text, shortened in the middle if it is wider than `limit`, or padded with spaces.
    static func fit(_ text: String, _ limit: Int, fills: Bool = true) -> String {
        let whole = width(text)
        guard whole > limit else { return fills ? text + String(repeating: " ", count: limit - whole) : text }
        guard limit > 1 else { return limit == 1 ? "…" : "" }
        let room = limit - 1
        var head = ""
        var tail = ""
        for character in text {
            guard width(head) + width(character) <= (room + 1) / 2 else { break }
            head.append(character)
        }
        for character in text.reversed() {
            guard width(tail) + width(character) <= room - width(head) else { break }
            tail.insert(character, at: tail.startIndex)
        }
        let short = "\(head)…\(tail)"
        return fills ? short + String(repeating: " ", count: max(0, limit - width(short))) : short
    }
}
