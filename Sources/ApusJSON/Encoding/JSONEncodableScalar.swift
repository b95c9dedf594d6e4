internal import Foundation

/// A type whose values are encoded as one JSON token.
protocol JSONEncodableScalar: Encodable {
    /// The kind of the number, if it is not finite.
    var notFinite: NotFinite? { get }

    /// Appends the token.
    func append(to text: inout [UInt8])
}

/// The kinds of numbers that JSON does not have.
enum NotFinite {
    case positiveInfinity, negativeInfinity, nan
}

extension JSONEncodableScalar {
    var notFinite: NotFinite? { nil }
}

extension String: JSONEncodableScalar {
    func append(to text: inout [UInt8]) { JSONEscape.append(self, to: &text) }
}

extension Bool: JSONEncodableScalar {
    func append(to text: inout [UInt8]) {
        text.append(contentsOf: (self ? "true" : "false").utf8)
    }
}

extension JSONEncodableScalar where Self: FixedWidthInteger {
    func append(to text: inout [UInt8]) {
        // 128-bit numbers have up to 39 digits and a sign.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { digits in
            var start = digits.count
            var rest = magnitude
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest != 0
            if self < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            text.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start...]))
        }
    }
}

extension Int: JSONEncodableScalar {}
extension Int8: JSONEncodableScalar {}
extension Int16: JSONEncodableScalar {}
extension Int32: JSONEncodableScalar {}
extension Int64: JSONEncodableScalar {}
extension Int128: JSONEncodableScalar {}
extension UInt: JSONEncodableScalar {}
extension UInt8: JSONEncodableScalar {}
extension UInt16: JSONEncodableScalar {}
extension UInt32: JSONEncodableScalar {}
extension UInt64: JSONEncodableScalar {}
extension UInt128: JSONEncodableScalar {}

extension JSONEncodableScalar where Self: BinaryFloatingPoint & CustomStringConvertible {
    var notFinite: NotFinite? {
        if isFinite { return nil }
        return isNaN ? .nan : self < 0 ? .negativeInfinity : .positiveInfinity
    }

    /// Appends the shortest text that parses to the same number, without a fraction of zero.
    func append(to text: inout [UInt8]) {
        var description = description
        description.withUTF8 { digits in
            let fraction = digits.suffix(2)
            let isWhole = fraction.elementsEqual(".0".utf8)
            text.append(
                contentsOf: UnsafeBufferPointer(rebasing: isWhole ? digits[..<fraction.startIndex] : digits[...])
            )
        }
    }
}

extension Double: JSONEncodableScalar {}
extension Float: JSONEncodableScalar {}

extension Decimal: JSONEncodableScalar {
    var notFinite: NotFinite? { isFinite ? nil : .nan }

    func append(to text: inout [UInt8]) { text.append(contentsOf: description.utf8) }
}

extension URL: JSONEncodableScalar {
    func append(to text: inout [UInt8]) { absoluteString.append(to: &text) }
}

extension JSONContentEncoder {
    /// Returns the text for a number that is not finite.
    func spelling(_ number: NotFinite) throws(EncodingFault) -> String {
        let strategy = nonConformingFloatEncodingStrategy
        switch strategy {
        case .throw:
            throw .noNumber
        case .convertToString(let positiveInfinity, let negativeInfinity, let nan):
            return switch number {
            case .positiveInfinity: positiveInfinity
            case .negativeInfinity: negativeInfinity
            case .nan: nan
            }
        @unknown default:
            throw .unknown(strategy)
        }
    }
}
