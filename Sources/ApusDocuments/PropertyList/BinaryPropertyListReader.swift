internal import ApusCore
internal import Foundation

/// Reads the binary format. A table has the offset of each object, and objects refer to each other by number.
struct BinaryPropertyListReader {
    /// A value and its weight, which is counted for each reference to it.
    private struct Reading {
        let value: PropertyListValue
        let weight: PropertyListWeight
    }

    private enum Progress {
        case unread
        case underWay
        case read(Reading)
    }

    private let bytes: [UInt8]
    private let limits: PropertyListLimits
    /// The offset of the table, which follows the objects.
    private let table: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let top: Int
    private var objects: [Progress]

    /// Reads a property list that begins with `bplist`.
    static func read(_ bytes: [UInt8], limits: PropertyListLimits) throws(ApusError) -> PropertyListValue {
        do throws(PropertyListFault) {
            var reader = try BinaryPropertyListReader(bytes, limits: limits)
            return try reader.object(reader.top, depth: 0).value
        } catch {
            throw error.error()
        }
    }

    /// Reads the trailer and checks the bounds of the table.
    private init(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListFault) {
        let header = 8
        let trailer = bytes.count - 32
        guard trailer > header, bytes.starts(with: "bplist0".utf8) else {
            throw PropertyListFault("it is too short for the binary format, or has an unknown version")
        }
        func number(at index: Int) throws(PropertyListFault) -> Int {
            guard let number = BinaryPropertyListReader.unsigned(bytes[index..<index + 8]) else {
                throw PropertyListFault("its trailer has a number that is too large")
            }
            return number
        }
        let count = try number(at: trailer + 8)
        self.top = try number(at: trailer + 16)
        self.table = try number(at: trailer + 24)
        self.offsetSize = Int(bytes[trailer + 6])
        self.referenceSize = Int(bytes[trailer + 7])
        self.bytes = bytes
        self.limits = limits
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), top < count, table > header,
            table < trailer, count <= (trailer - table) / offsetSize
        else { throw PropertyListFault("its trailer contradicts its length") }
        guard count <= limits.maximumValues else {
            throw PropertyListFault("it has \(count) objects; raise PropertyListLimits.maximumValues", .limit)
        }
        self.objects = Array(repeating: .unread, count: count)
    }

    /// Reads an object. An object with several references is read once.
    private mutating func object(_ number: Int, depth: Int) throws(PropertyListFault) -> Reading {
        guard objects.indices.contains(number) else {
            throw PropertyListFault("it refers to an object that does not exist")
        }
        switch objects[number] {
        case .read(let reading): return reading
        case .underWay: throw PropertyListFault("one of its objects contains itself")
        case .unread: break
        }
        objects[number] = .underWay
        let entry = table + number * offsetSize
        guard let offset = Self.unsigned(bytes[entry..<entry + offsetSize]), (8..<table).contains(offset) else {
            throw PropertyListFault("one of its objects is outside the object range")
        }
        let reading = try self.reading(at: offset, depth: depth)
        objects[number] = .read(reading)
        return reading
    }

    private mutating func reading(at offset: Int, depth: Int) throws(PropertyListFault) -> Reading {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where low == 8 || low == 9:
            return Reading(value: .boolean(low == 9), weight: PropertyListWeight())
        case 0x1 where low <= 4:
            return Reading(value: .integer(try integer(at: offset + 1, size: 1 << low)), weight: PropertyListWeight())
        case 0x2 where low == 2:
            let real = Float(bitPattern: UInt32(try bits(at: offset + 1, size: 4)))
            return Reading(value: .real(Double(real)), weight: PropertyListWeight())
        case 0x2 where low == 3:
            let real = Double(bitPattern: try bits(at: offset + 1, size: 8))
            return Reading(value: .real(real), weight: PropertyListWeight())
        case 0x3 where low == 3:
            let seconds = Double(bitPattern: try bits(at: offset + 1, size: 8))
            guard seconds.isFinite else { throw PropertyListFault("one of its dates is not a number") }
            return Reading(value: .date(Date(timeIntervalSinceReferenceDate: seconds)), weight: PropertyListWeight())
        case 0x4:
            let content = try content(at: offset, unit: 1)
            return Reading(value: .data(Data(bytes[content])), weight: PropertyListWeight(bytes: content.count))
        case 0x5:
            let content = try content(at: offset, unit: 1)
            guard bytes[content].allSatisfy({ $0 < 0x80 }) else {
                throw PropertyListFault("one of its ASCII strings is not ASCII")
            }
            return string(String(decoding: bytes[content], as: UTF8.self))
        case 0x6:
            let content = try content(at: offset, unit: 2)
            let units = stride(from: content.lowerBound, to: content.upperBound, by: 2)
                .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return string(String(decoding: units, as: UTF16.self))
        case 0x8:
            guard let number = Self.unsigned(try slice(at: offset + 1, count: low + 1)) else {
                throw PropertyListFault("one of its references is too large")
            }
            return Reading(value: ["CF$UID": .integer(Int128(number))], weight: PropertyListWeight(bytes: 6))
        case 0xA:
            return try array(at: offset, depth: depth + 1)
        case 0xD:
            return try dictionary(at: offset, depth: depth + 1)
        default:
            throw PropertyListFault("it has an object of an unknown kind: \(String(marker, radix: 16))")
        }
    }

    private func string(_ string: String) -> Reading {
        Reading(value: .string(string), weight: PropertyListWeight(bytes: string.utf8.count))
    }

    private mutating func array(at offset: Int, depth: Int) throws(PropertyListFault) -> Reading {
        try PropertyListWeight.check(depth: depth, limits: limits)
        let references = try content(at: offset, unit: referenceSize)
        var values: [PropertyListValue] = []
        var weight = PropertyListWeight.container
        for index in stride(from: references.lowerBound, to: references.upperBound, by: referenceSize) {
            let reading = try object(try reference(at: index), depth: depth)
            try weight.add(reading.weight, limits: limits)
            values.append(reading.value)
        }
        return Reading(value: .array(values), weight: weight)
    }

    private mutating func dictionary(at offset: Int, depth: Int) throws(PropertyListFault) -> Reading {
        try PropertyListWeight.check(depth: depth, limits: limits)
        // All keys come before all values.
        let references = try content(at: offset, unit: 2 * referenceSize)
        let half = references.count / 2
        var values: [String: PropertyListValue] = [:]
        var weight = PropertyListWeight.container
        for index in stride(from: references.lowerBound, to: references.lowerBound + half, by: referenceSize) {
            let name = try object(try reference(at: index), depth: depth)
            guard case .string(let string) = name.value else {
                throw PropertyListFault("one of its names is not a string")
            }
            let reading = try object(try reference(at: index + half), depth: depth)
            try weight.add(name.weight, limits: limits)
            try weight.add(reading.weight, limits: limits)
            if let index = values.index(forKey: string) {
                throw PropertyListFault.twice(string, known: values.keys[index])
            }
            values[string] = reading.value
        }
        return Reading(value: .dictionary(values), weight: weight)
    }
}

extension BinaryPropertyListReader {
    private func slice(at index: Int, count: Int) throws(PropertyListFault) -> ArraySlice<UInt8> {
        guard count <= table - index else {
            throw PropertyListFault("one of its objects ends outside the object range")
        }
        return bytes[index..<index + count]
    }

    /// Returns the range of an object's content. Its count is in the low half of its marker, or after the marker.
    private func content(at offset: Int, unit: Int) throws(PropertyListFault) -> Range<Int> {
        let low = Int(bytes[offset] & 0x0F)
        guard low == 15 else { return try slice(at: offset + 1, count: low * unit).indices }
        let marker = try slice(at: offset + 1, count: 1)[offset + 1]
        let size = 1 << Int(marker & 0x0F)
        guard marker >> 4 == 1, size <= 8,
            let count = Self.unsigned(try slice(at: offset + 2, count: size)), count <= bytes.count / unit
        else { throw PropertyListFault("one of its objects is larger than the whole property list") }
        return try slice(at: offset + 2 + size, count: count * unit).indices
    }

    private func reference(at index: Int) throws(PropertyListFault) -> Int {
        guard let number = Self.unsigned(bytes[index..<index + referenceSize]) else {
            throw PropertyListFault("it refers to an object that does not exist")
        }
        return number
    }

    private func bits(at index: Int, size: Int) throws(PropertyListFault) -> UInt64 {
        try slice(at: index, count: size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads an integer. Those of eight bytes or more are signed.
    private func integer(at index: Int, size: Int) throws(PropertyListFault) -> Int128 {
        let slice = try slice(at: index, count: size)
        switch size {
        case 8: return Int128(Int64(bitPattern: try bits(at: index, size: 8)))
        case 16:
            let integer = Int128(truncatingIfNeeded: slice.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
            guard integer >= Int128(Int64.min), integer <= Int128(UInt64.max) else {
                throw PropertyListFault("one of its numbers is too large")
            }
            return integer
        default: return Int128(try bits(at: index, size: size))
        }
    }

    /// Reads an unsigned big-endian number. Returns `nil` if it exceeds `Int.max`.
    private static func unsigned(_ bytes: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for byte in bytes {
            guard number <= Int.max >> 8 else { return nil }
            number = number << 8 | Int(byte)
        }
        return number
    }
}
