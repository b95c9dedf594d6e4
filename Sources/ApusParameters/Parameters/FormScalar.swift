internal import ApusJSON
internal import Foundation

/// A type whose values are encoded as one text in a form, even if they encode themselves differently elsewhere.
protocol FormScalar: Encodable {
    func write(to place: FormValueEncoder) throws
}

extension String: FormScalar {
    func write(to place: FormValueEncoder) throws { try place.set(self) }
}

extension Bool: FormScalar {
    func write(to place: FormValueEncoder) throws {
        try place.options.boolEncoding.encode(self).write(to: place)
    }
}

extension FormScalar where Self: BinaryInteger {
    func write(to place: FormValueEncoder) throws { try description.write(to: place) }
}

extension Int: FormScalar {}
extension Int8: FormScalar {}
extension Int16: FormScalar {}
extension Int32: FormScalar {}
extension Int64: FormScalar {}
extension Int128: FormScalar {}
extension UInt: FormScalar {}
extension UInt8: FormScalar {}
extension UInt16: FormScalar {}
extension UInt32: FormScalar {}
extension UInt64: FormScalar {}
extension UInt128: FormScalar {}

extension FormScalar where Self: BinaryFloatingPoint & CustomStringConvertible {
    func write(to place: FormValueEncoder) throws { try finiteDescription().write(to: place) }
}

extension Double: FormScalar {}
extension Float: FormScalar {}

extension Decimal: FormScalar {
    /// Its own `encode(to:)` encodes its parts.
    func write(to place: FormValueEncoder) throws {
        guard isFinite else { throw EncodingFault.notFinite }
        try description.write(to: place)
    }
}

extension URL: FormScalar {
    /// Its own `encode(to:)` encodes the base and the relative part.
    func write(to place: FormValueEncoder) throws { try absoluteString.write(to: place) }
}

extension Date: FormScalar {
    func write(to place: FormValueEncoder) throws {
        guard let text = try place.options.dateEncoding.encode(self) else {
            return try timeIntervalSinceReferenceDate.write(to: place)
        }
        try text.write(to: place)
    }
}

extension Data: FormScalar {
    func write(to place: FormValueEncoder) throws {
        if place.isForParts { return try place.set(bytes: self) }
        guard let text = try place.options.dataEncoding.encode(self) else { return try encode(to: place.deeper()) }
        try text.write(to: place)
    }
}
