package import Foundation

extension JSONValue {
    /// The default limit on the nesting of arrays and objects: 512.
    public static let defaultDepthLimit = 512

    /// Parses JSON text.
    package static func parse(
        _ data: Data,
        depthLimit: Int,
        refusesDuplicateNames: Bool
    ) throws(JSONSyntaxError) -> JSONValue {
        let parsed = data.withUnsafeBytes { bytes in
            var builder = JSONBuilder(bytes, depthLimit, refusesDuplicateNames)
            return Result { () throws(JSONReader.Fault) in try builder.value() }
                .mapError { JSONSyntaxError(description: $0.description(in: bytes)) }
        }
        return try parsed.get()
    }
}

/// Builds a value from the tokens of the reader.
///
/// Unfinished values and names are kept on two stacks. A container takes its contents from the top when it ends, so its
/// storage is allocated once and with the right capacity.
private struct JSONBuilder {
    private struct Container {
        let firstValue: Int
        let firstName: Int
    }

    private let bytes: UnsafeRawBufferPointer
    private let refusesDuplicateNames: Bool
    private var reader: JSONReader
    private var containers: [Container] = []
    private var values: [JSONValue] = []
    private var names: [String] = []

    init(_ bytes: UnsafeRawBufferPointer, _ depthLimit: Int, _ refusesDuplicateNames: Bool) {
        self.bytes = bytes
        self.refusesDuplicateNames = refusesDuplicateNames
        self.reader = JSONReader(at: JSONReader.start(of: bytes), depthLimit: depthLimit)
    }

    mutating func value() throws(JSONReader.Fault) -> JSONValue {
        while let token = try reader.next(in: bytes) {
            switch token {
            case .beginObject, .beginArray:
                containers.append(Container(firstValue: values.count, firstName: names.count))
            case .endArray:
                let container = containers.removeLast()
                let array = Array(values[container.firstValue...])
                values.removeSubrange(container.firstValue...)
                values.append(.array(array))
            case .endObject:
                let container = containers.removeLast()
                let object = JSONObject(names[container.firstName...], values[container.firstValue...])
                if refusesDuplicateNames { try refuseDuplicates(names[container.firstName...], object) }
                names.removeSubrange(container.firstName...)
                values.removeSubrange(container.firstValue...)
                values.append(.object(object))
            case .key(let range): names.append(try text(range))
            case .string(let range): values.append(.string(try text(range)))
            case .number(let range): values.append(.number(JSONNumber(wellFormed: slice(range))))
            case .literal(let range): values.append(literal(bytes[range.lowerBound]))
            }
        }
        return values[0]
    }

    /// Throws if the object that ends here has fewer members than names were read.
    private func refuseDuplicates(
        _ names: ArraySlice<String>,
        _ object: JSONObject
    ) throws(JSONReader.Fault) {
        guard object.count < names.count else { return }
        var known = Set<String>()
        let twice = names.first { !known.insert($0).inserted } ?? ""
        throw JSONReader.Fault(
            offset: reader.position - 1,
            reason: "an object has the name \(Excerpt.quoted(twice)) twice, and ends"
        )
    }

    private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    /// Returns the string between quotation marks.
    private func text(_ range: Range<Int>) throws(JSONReader.Fault) -> String {
        try JSONEscape.text(at: range.lowerBound + 1..<range.upperBound - 1, in: bytes, reader.traits)
    }

    private func literal(_ first: UInt8) -> JSONValue {
        switch first {
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        default: .null
        }
    }
}

extension JSONReader.Fault {
    /// Returns the cause and its position.
    func description(in bytes: UnsafeRawBufferPointer) -> String {
        let before = bytes[..<offset]
        let line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // UTF-8 continuation bytes do not start a column.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return "\(reason) at byte \(offset), line \(line), column \(column)"
    }
}
