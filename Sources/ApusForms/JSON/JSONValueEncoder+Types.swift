internal import Foundation

// The types that are written otherwise than they encode themselves.

extension JSONValueEncoder {
    /// Takes in any value; what encodes nothing is an empty object.
    func take<Value: Encodable>(_ value: Value) throws {
        try take(root: value)
        close()
    }

    /// Takes in any value.
    ///
    /// Types are told apart by comparing them: to ask each value by a cast costs more than to write it.
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

    /// The value, where its type is `Known`.
    @inline(__always)
    private func known<Value, Known>(_ value: Value, as type: Known.Type) -> Known? {
        Value.self == Known.self ? value as? Known : nil
    }

    /// Takes in an array that the standard library would hand on element by element, each asked for its type.
    private func take<Element: JSONScalar>(elements: [Element]) throws {
        try take(elements) { array in
            array.open(.unkeyed)
            for element in elements { try array.addElement(scalar: element) }
        }
    }

    private func take(date: Date) throws {
        let strategy = record.options.dateEncodingStrategy
        switch strategy {
        case .deferredToDate:
            try take(scalar: date.timeIntervalSinceReferenceDate)
        case .secondsSince1970:
            try take(timestamp: date.timeIntervalSince1970)
        case .millisecondsSince1970:
            try take(timestamp: 1000 * date.timeIntervalSince1970)
        case .iso8601:
            let valid: Date
            // Foundation traps where a date is printed that is none, so that the error gets its seconds.
            do { valid = try date.withFourDigitYear() } catch { throw refusal(of: date.timeIntervalSince1970, error) }
            try take(scalar: valid.formatted(.iso8601))
        case .custom(let encode):
            try take(date) { try encode(date, $0) }
            close()
        @unknown default:
            throw refusal(of: date.timeIntervalSince1970, .unknown(strategy))
        }
    }

    /// Takes in what is a number in any case: there is no text for others.
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
