internal import ApusCore
internal import Foundation

// Reads strings and numbers leniently, since programs write them differently, and writes them as the format requires.

extension KeyedDecodingContainer {
    /// Returns a string. Accepts a number in its place.
    func text(_ key: Key) throws -> String? {
        do {
            return try decodeIfPresent(String.self, forKey: key)
        } catch {
            guard let number = try? decodeIfPresent(Double.self, forKey: key) else { throw error }
            return Int64(exactly: number).map { String($0) } ?? String(number)
        }
    }

    /// Returns a whole number, rounded if needed.
    func number(_ key: Key) throws -> Int64? {
        try decodeIfPresent(Double.self, forKey: key).map { Int64(max(-Self.limit, min(Self.limit, $0.rounded()))) }
    }

    /// Returns a byte count, `nil` if it is unknown.
    func size(_ key: Key) throws -> Int64? { try number(key).flatMap { $0 < 0 ? nil : $0 } }

    /// Returns a duration, `nil` if it does not apply. Limited to ten years, so that sums do not overflow.
    func milliseconds(_ key: Key) throws -> Duration? {
        guard let number = try decodeIfPresent(Double.self, forKey: key), number >= 0 else { return nil }
        return .nanoseconds(Int64((min(number, Self.tenYears) * 1e6).rounded()))
    }

    /// Returns a date.
    func timestamp(_ key: Key) throws -> Date {
        let text = try decode(String.self, forKey: key)
        guard let date = HARTimestamp.date(text) else {
            let reason = "'\(text.prefix(40))' is not an ISO 8601 date"
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: reason)
        }
        return date
    }

    private static var limit: Double { 9e15 }

    private static var tenYears: Double { 10 * 366 * 86_400_000 }
}

extension KeyedEncodingContainer {
    /// Encodes a duration, or -1 if it does not apply.
    mutating func encode(milliseconds duration: Duration?, forKey key: Key) throws {
        try encode(duration.map { Double($0.wholeNanoseconds) / 1e6 } ?? -1, forKey: key)
    }
}
