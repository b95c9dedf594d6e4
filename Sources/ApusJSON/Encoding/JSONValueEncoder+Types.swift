internal import Foundation

// Types that are not encoded by their own `encode(to:)`.

extension JSONValueEncoder {
    /// Encodes any value. A value that encodes nothing becomes an empty object.
    func take<Value: Encodable>(_ value: Value) throws {
        try take(root: value)
        close()
    }

    /// Encodes any value.
    ///
    /// Types are compared directly, since a cast for each value costs more than writing it.
    func take<Value: Encodable>(root value: Value) throws {
        if let text = known(value, as: String.self) { return try take(scalar: text) }
        if let number = known(value, as: Int.self) { return try take(scalar: number) }
        if let number = known(value, as: Double.self) { return try take(scalar: number) }
        if let date = known(value, as: Date.self) { return try take(date: date) }
        if let data = known(value, as: Data.self) { return try take(data: data) }
        if let url = known(value, as: URL.self) { return try take(scalar: url) }
        if let number = known(value, as: Decimal.self) { return try take(scalar: number) }
        if let texts = known(value, as: [String].self) { return try take(elements: texts) }
        if let numbers = known(value, as: [Int].self) { return try take(elements: numbers) }
        if let numbers = known(value, as: [Double].self) { return try take(elements: numbers) }
        let keepsKeys = record.keys?.keepsKeys(of: Value.self) ?? false
        try take(value, keepsKeys: keepsKeys) { try value.encode(to: $0) }
    }

    /// Returns the value if its type is `Known`.
    @inline(__always)
    private func known<Value, Known>(_ value: Value, as type: Known.Type) -> Known? {
        Value.self == Known.self ? value as? Known : nil
    }

    /// Encodes an array directly. The standard library would pass on each element and check its type.
    private func take<Element: JSONEncodableScalar>(elements: [Element]) throws {
        try take(elements) { array in
            array.open(.unkeyed)
            for element in elements { try array.addElement(scalar: element) }
        }
    }

    private func take(date: Date) throws {
        let strategy = record.options.dateEncodingStrategy
        if case .deferredToDate = strategy {
            try take(scalar: date.timeIntervalSinceReferenceDate)
        } else if case .secondsSince1970 = strategy {
            try take(timestamp: date.timeIntervalSince1970)
        } else if case .millisecondsSince1970 = strategy {
            try take(timestamp: 1000 * date.timeIntervalSince1970)
        } else if case .custom(let encode) = strategy {
            try take(date) { try encode(date, $0) }
            close()
        } else {
            let text: String
            // Foundation traps when it prints an invalid date, so the error gets its seconds.
            do { text = try strategy.text(of: date) } catch { throw refusal(of: date.timeIntervalSince1970, error) }
            try take(scalar: text)
        }
    }

    /// Encodes a number without applying the strategy for numbers that are not finite.
    private func take(timestamp: Double) throws(EncodingError) {
        guard timestamp.isFinite else { throw refusal(of: timestamp, .noNumber) }
        try take(scalar: timestamp)
    }

    private func take(data: Data) throws {
        let strategy = record.options.dataEncodingStrategy
        switch strategy {
        case .deferredToData:
            try take(data) { try data.encode(to: $0) }
        case .base64:
            try take(scalar: data.base64EncodedString())
        case .custom(let encode):
            try take(data) { try encode(data, $0) }
            close()
        @unknown default:
            throw refusal(of: data, .unknown(strategy))
        }
    }
}

extension JSONEncoder.DateEncodingStrategy {
    /// Returns a date's text for a strategy that writes text: ISO 8601, and on Apple's systems a formatter.
    fileprivate func text(of date: Date) throws(EncodingFault) -> String {
        let date = try date.withFourDigitYear()
        if case .iso8601 = self { return date.formatted(.iso8601) }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = self
        guard let json = try? encoder.encode([date]), let texts = try? JSONDecoder().decode([String].self, from: json)
        else {
            throw .unknown(self)
        }
        return texts[0]
    }
}
