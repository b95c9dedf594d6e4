internal import Foundation

/// Builds a binary property list from valid or invalid objects.
struct BinaryList {
    var objects: [[UInt8]]
    var top = 0
    /// Replacements for the numbers in the trailer.
    var count: UInt64?
    var tableOffset: UInt64?
    var offsetSize: UInt8 = 4
    var referenceSize: UInt8 = 2

    init(_ objects: [UInt8]...) {
        self.objects = objects
    }

    init(objects: [[UInt8]]) {
        self.objects = objects
    }

    /// Returns an array of references.
    static func array(_ references: [Int]) -> [UInt8] {
        marker(0xA0, references.count) + references.flatMap(reference)
    }

    static func dictionary(_ references: [(name: Int, value: Int)]) -> [UInt8] {
        marker(0xD0, references.count) + references.flatMap { reference($0.name) }
            + references.flatMap { reference($0.value) }
    }

    static func string(_ string: String) -> [UInt8] {
        marker(0x50, string.utf8.count) + Array(string.utf8)
    }

    var data: Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt32] = []
        for object in objects {
            offsets.append(UInt32(bytes.count))
            bytes += object
        }
        let table = UInt64(bytes.count)
        for offset in offsets { bytes += BinaryList.big(offset) }
        bytes += [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
        bytes += BinaryList.big(count ?? UInt64(objects.count))
        bytes += BinaryList.big(UInt64(top))
        bytes += BinaryList.big(tableOffset ?? table)
        return Data(bytes)
    }

    static func big(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func reference(_ number: Int) -> [UInt8] { big(UInt16(number)) }

    private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 15, 0x12] + big(UInt32(count))
    }
}
