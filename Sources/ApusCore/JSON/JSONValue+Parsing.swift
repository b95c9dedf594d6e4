public import Foundation

extension JSONValue {
    /// How many arrays and objects may stand within each other, unless a caller says otherwise: 512.
    public static let defaultDepthLimit = 512

    /// Reads JSON text, after RFC 8259 to the letter.
    ///
    /// The text is UTF-8; a byte order mark ahead of it is passed over. Of members with the same name the first value
    /// counts, as it does for `JSONContentDecoder` and Foundation's `JSONDecoder`. It takes a time that is proportional to
    /// the length of the text.
    ///
    /// - Parameters:
    ///   - data: The text.
    ///   - depthLimit: How many arrays and objects may stand within each other; 512 by default. A value that is nested
    ///     thousands deep takes more stack to compare, or to let go of, than a thread may have.
    ///   - refusesDuplicateNames: Whether an object that has a name twice is an error, as I-JSON demands; `false` by
    ///     default. Readers differ in the value that they take (RFC 8259 §4).
    /// - Throws: `ApusError` with the code `decodingFailed`, saying what is wrong and where.
    public init(
        parsing data: Data,
        depthLimit: Int = Self.defaultDepthLimit,
        refusesDuplicateNames: Bool = false
    ) throws(ApusError) {
        let parsed = data.withUnsafeBytes { bytes in
            var builder = JSONBuilder(bytes, depthLimit, refusesDuplicateNames)
            return Result { () throws(JSONReader.Fault) in try builder.value() }.mapError { $0.error(in: bytes) }
        }
        self = try parsed.get()
    }

    /// Reads JSON text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - depthLimit: How many arrays and objects may stand within each other; 512 by default.
    ///   - refusesDuplicateNames: Whether an object that has a name twice is an error; `false` by default, which takes the
    ///     first value.
    /// - Throws: `ApusError` with the code `decodingFailed`, saying what is wrong and where.
    public init(
        parsing text: String,
        depthLimit: Int = Self.defaultDepthLimit,
        refusesDuplicateNames: Bool = false
    ) throws(ApusError) {
        try self.init(
            parsing: Data(text.utf8),
            depthLimit: depthLimit,
            refusesDuplicateNames: refusesDuplicateNames
        )
    }
}

/// Makes a value of what the reader reads.
///
/// What is being read lies on one stack of values and one of names, and a container takes its own from the top when it
/// ends: so each is made once, with the room that it needs.
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

    /// Throws if an object that ends here has fewer members than it was given names.
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

    /// What stands between quotation marks.
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
    fileprivate func error(in bytes: UnsafeRawBufferPointer) -> ApusError {
        ApusError(.decodingFailed, "no JSON in it: \(description(in: bytes))")
    }

    /// What is wrong, and where.
    func description(in bytes: UnsafeRawBufferPointer) -> String {
        let before = bytes[..<offset]
        let line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // Bytes that go on with a character are no column of their own.
        let column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        return "\(reason) at byte \(offset), line \(line), column \(column)"
    }
}
