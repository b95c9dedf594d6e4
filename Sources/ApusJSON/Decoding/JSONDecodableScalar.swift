internal import Foundation

/// A type that is decoded from a single JSON value, regardless of its own `Decodable` implementation.
protocol JSONDecodableScalar: Decodable {
    init(at place: JSONNodeDecoder) throws
}

extension Bool: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws {
        guard place.kind == .bool else { throw place.mismatch(Self.self) }
        self = place.text.first == UInt8(ascii: "t")
    }
}

extension String: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws {
        guard place.kind == .string else { throw place.mismatch(Self.self) }
        do throws(JSONReader.Fault) {
            self = try JSONEscape.text(of: place.text, place.traits)
        } catch {
            throw place.corrupted(error.reason)
        }
    }
}

extension JSONDecodableScalar where Self: FixedWidthInteger {
    init(at place: JSONNodeDecoder) throws {
        guard place.kind == .number else { throw place.mismatch(Self.self) }
        guard let value = Self(wellFormed: place.text) else { throw place.doesNotFit(Self.self) }
        self = value
    }
}

extension Int: JSONDecodableScalar {}
extension Int8: JSONDecodableScalar {}
extension Int16: JSONDecodableScalar {}
extension Int32: JSONDecodableScalar {}
extension Int64: JSONDecodableScalar {}
extension Int128: JSONDecodableScalar {}
extension UInt: JSONDecodableScalar {}
extension UInt8: JSONDecodableScalar {}
extension UInt16: JSONDecodableScalar {}
extension UInt32: JSONDecodableScalar {}
extension UInt64: JSONDecodableScalar {}
extension UInt128: JSONDecodableScalar {}

extension Double: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws { self = try place.floatingPoint { Double(wellFormed: $0) } }
}

extension Float: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws {
        // Conversion through a `Double` would round twice.
        self = try place.floatingPoint { Float(String(decoding: $0, as: UTF8.self)) }
    }
}

extension Decimal: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws {
        guard place.kind == .number else { throw place.mismatch(Self.self) }
        guard let value = JSONNumber(wellFormed: place.text).decimal else { throw place.doesNotFit(Self.self) }
        self = value
    }
}

extension URL: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws {
        guard let url = URL(string: try String(at: place)) else { throw place.corrupted("Invalid URL string.") }
        self = url
    }
}

extension Data: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws {
        let strategy = place.document.options.dataDecodingStrategy
        if case .base64 = strategy {
            guard let data = Data(base64Encoded: try String(at: place)) else {
                throw place.corrupted("Encountered Data is not valid Base64.")
            }
            self = data
        } else if case .custom(let decode) = strategy {
            self = try decode(place)
        } else {
            self = try Data(from: place)
        }
    }
}

extension Date: JSONDecodableScalar {
    init(at place: JSONNodeDecoder) throws {
        let strategy = place.document.options.dateDecodingStrategy
        if case .deferredToDate = strategy {
            self = try Date(from: place)
        } else if case .secondsSince1970 = strategy {
            self = Date(timeIntervalSince1970: try Double(at: place))
        } else if case .millisecondsSince1970 = strategy {
            self = Date(timeIntervalSince1970: try Double(at: place) / 1000)
        } else if case .custom(let decode) = strategy {
            self = try decode(place)
        } else {
            let text = try String(at: place)
            guard let date = strategy.date(of: text) else {
                throw place.corrupted("The text is not a date in the expected format.")
            }
            self = date
        }
    }
}

extension JSONDecoder.DateDecodingStrategy {
    /// Returns the date of a text, for strategies that parse text: ISO 8601, and on Apple's systems a formatter.
    fileprivate func date(of text: String) -> Date? {
        if case .iso8601 = self { return try? Date.ISO8601FormatStyle().parse(text) }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = self
        return try? decoder.decode([Date].self, from: Data("[".utf8) + JSONEscape.quoted(text) + Data("]".utf8)).first
    }
}

extension JSONNodeDecoder {
    fileprivate func floatingPoint<Value: BinaryFloatingPoint>(
        _ read: (UnsafeRawBufferPointer) -> Value?
    ) throws -> Value {
        if kind == .number {
            guard let value = read(text), value.isFinite, value != 0 || isZero else { throw doesNotFit(Value.self) }
            return value
        }
        if kind == .string,
            case .convertFromString(let infinity, let negativeInfinity, let nan) =
                document.options.nonConformingFloatDecodingStrategy
        {
            switch try String(at: self) {
            case infinity: return .infinity
            case negativeInfinity: return -.infinity
            case nan: return .nan
            default: break
            }
        }
        throw mismatch(Value.self)
    }

    /// Whether the number is exactly zero, and not rounded to zero.
    private var isZero: Bool {
        !text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { 0x31...0x39 ~= $0 }
    }

    fileprivate func doesNotFit(_ type: Any.Type) -> DecodingError {
        // Limit the text before it is decoded, since a number may be as long as the whole document.
        let beginning = String(decoding: text.prefix(Excerpt.limit + 1), as: UTF8.self)
        return corrupted("The number \(Excerpt.of(beginning)) does not fit in \(type).")
    }
}
