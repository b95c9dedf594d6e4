internal import ApusCore
public import Foundation

// What becomes of values.

extension URLEncodedFormEncoder {
    /// How a `Bool` is written.
    public enum BoolEncoding: Sendable, Hashable {
        /// `1` and `0`: the default.
        case numeric
        /// `true` and `false`
        case literal

        func encode(_ value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// How `Data` is written.
    public enum DataEncoding: Sendable {
        /// As it encodes itself: an array of numbers.
        case deferredToData
        /// In Base64: the default.
        case base64
        /// What the closure makes of it.
        case custom(@Sendable (Data) throws -> String)

        /// The text; `nil` where the data is to encode itself.
        func encode(_ value: Data) throws -> String? {
            switch self {
            case .deferredToData: nil
            case .base64: value.base64EncodedString()
            case .custom(let encode): try encode(value)
            }
        }
    }

    /// How a `Date` is written.
    public enum DateEncoding: Sendable {
        /// As it encodes itself, in seconds since 2001: the default.
        case deferredToDate
        /// In seconds since 1970, with a fraction.
        case secondsSince1970
        /// In milliseconds since 1970, with a fraction.
        case millisecondsSince1970
        /// `2001-01-01T00:02:03Z`, RFC 3339, without fractions of seconds; years have four digits and others are refused.
        case iso8601
        /// As the formatter formats it.
        case formatted(DateFormatter)
        /// What the closure makes of it.
        case custom(@Sendable (Date) throws -> String)

        /// The text; `nil` where the date is to encode itself.
        func encode(_ value: Date) throws -> String? {
            switch self {
            case .deferredToDate:
                return nil
            case .secondsSince1970:
                return try value.timeIntervalSince1970.finiteDescription()
            case .millisecondsSince1970:
                return try (value.timeIntervalSince1970 * 1000).finiteDescription()
            case .iso8601:
                return try value.withFourDigitYear().formatted(Date.ISO8601FormatStyle())
            case .formatted(let formatter):
                guard value.timeIntervalSince1970.isFinite else { throw ParameterFault.notFinite }
                return formatter.string(from: value)
            case .custom(let encode):
                return try encode(value)
            }
        }
    }

    /// How `nil` is written, in keys of an optional type too: `encodeIfPresent` counts as `encodeNil`.
    public struct NilEncoding: Sendable {
        enum Style: Sendable {
            case dropKey
            case keyAlone
            case text(@Sendable () -> String?)
        }

        let style: Style

        private init(_ style: Style) {
            self.style = style
        }

        /// Nothing at all: the default.
        public static let dropKey = NilEncoding(.dropKey)

        /// `key=`
        public static let dropValue = NilEncoding { "" }

        /// `key=null`
        public static let null = NilEncoding { "null" }

        /// `key`, without an equals sign, as AFNetworking has it.
        public static let keyAlone = NilEncoding(.keyAlone)

        /// Makes an encoding of one's own.
        ///
        /// - Parameter encoding: What is written as the value; with `nil` the key is dropped too.
        public init(encoding: @escaping @Sendable () -> String?) {
            self.style = .text(encoding)
        }
    }

    /// How a space is written, in keys and in values.
    public enum SpaceEncoding: Sendable, Hashable {
        /// `%20`: the default.
        case percentEscaped
        /// `+`
        case plusReplaced
    }
}

extension CharacterSet {
    /// What stands in a form as it is: RFC 3986's unreserved characters, and `?` and `/`, which a query may have.
    ///
    /// See RFC 3986 §3.4, https://www.rfc-editor.org/rfc/rfc3986.html#section-3.4
    public static let afURLQueryAllowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~?/"
    )
}

extension Date {
    /// The date itself, where its year has four digits: others have no place in RFC 3339.
    func withFourDigitYear() throws(ParameterFault) -> Date {
        guard (-62_135_596_800..<253_402_300_800).contains(timeIntervalSince1970) else {
            throw ParameterFault("is a date outside of the years 1 to 9999")
        }
        return self
    }
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
    /// The shortest text that is the number again.
    func finiteDescription() throws(ParameterFault) -> String {
        guard isFinite else { throw .notFinite }
        return description
    }
}
