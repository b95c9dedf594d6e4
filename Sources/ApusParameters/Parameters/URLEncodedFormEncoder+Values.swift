internal import ApusCore
internal import ApusJSON
public import Foundation

// The encoding of values.

extension URLEncodedFormEncoder {
    /// The encoding of `Bool` values.
    public enum BoolEncoding: Sendable, Hashable {
        /// `1` and `0`. The default.
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

    /// The encoding of `Data` values.
    public enum DataEncoding: Sendable {
        /// As it encodes itself: an array of numbers.
        case deferredToData
        /// Base64. The default.
        case base64
        /// The result of the closure.
        case custom(@Sendable (Data) throws -> String)

        /// Returns the text. `nil` if the data encodes itself.
        func encode(_ value: Data) throws -> String? {
            switch self {
            case .deferredToData: nil
            case .base64: value.base64EncodedString()
            case .custom(let encode): try encode(value)
            }
        }
    }

    /// The encoding of `Date` values.
    public enum DateEncoding: Sendable {
        /// As it encodes itself, in seconds since 2001. The default.
        case deferredToDate
        /// Seconds since 1970, with a fraction.
        case secondsSince1970
        /// Milliseconds since 1970, with a fraction.
        case millisecondsSince1970
        /// `2001-01-01T00:02:03Z`, RFC 3339, without fractions of seconds. Years without four digits are rejected.
        case iso8601
        /// The output of the formatter.
        case formatted(DateFormatter)
        /// The result of the closure.
        case custom(@Sendable (Date) throws -> String)

        /// Returns the text. `nil` if the date encodes itself.
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
                guard value.timeIntervalSince1970.isFinite else { throw EncodingFault.notFinite }
                return formatter.string(from: value)
            case .custom(let encode):
                return try encode(value)
            }
        }
    }

    /// The encoding of `nil`. It also applies to optional properties: `encodeIfPresent` acts like `encodeNil`.
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

        /// Leaves out the pair. The default.
        public static let dropKey = NilEncoding(.dropKey)

        /// `key=`
        public static let dropValue = NilEncoding { "" }

        /// `key=null`
        public static let null = NilEncoding { "null" }

        /// `key`, without an equals sign, as AFNetworking writes it.
        public static let keyAlone = NilEncoding(.keyAlone)

        /// Creates a custom encoding.
        ///
        /// - Parameter encoding: Returns the text to write as the value. With `nil` the pair is left out.
        public init(encoding: @escaping @Sendable () -> String?) {
            self.style = .text(encoding)
        }
    }

    /// The encoding of a space in keys and values.
    public enum SpaceEncoding: Sendable, Hashable {
        /// `%20`. The default.
        case percentEscaped
        /// `+`
        case plusReplaced
    }
}

extension CharacterSet {
    /// The characters that are not escaped in a form: RFC 3986's unreserved characters, and `?` and `/`, as in a query.
    ///
    /// See RFC 3986 §3.4, https://www.rfc-editor.org/rfc/rfc3986.html#section-3.4
    public static let afURLQueryAllowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~?/"
    )
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
    /// Returns the shortest text that parses to the same number.
    func finiteDescription() throws(EncodingFault) -> String {
        guard isFinite else { throw .notFinite }
        return description
    }
}
