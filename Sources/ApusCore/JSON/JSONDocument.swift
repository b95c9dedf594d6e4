internal import Foundation

/// JSON text that was looked through once: where its values begin and end, in one array.
///
/// A container stands ahead of what is in it, so that its first member or element is the node behind it, and each
/// node knows the one behind all that is in it. Nothing is made of a value until somebody asks for it.
final class JSONDocument {
    enum Kind: UInt8 {
        case null, bool, number, string, array, object

        /// As errors call it.
        var name: String {
            switch self {
            case .null: "null"
            case .bool: "bool"
            case .number: "number"
            case .string: "a string"
            case .array: "an array"
            case .object: "a dictionary"
            }
        }
    }

    struct Node {
        let kind: Kind
        /// Of the value, where it is a string.
        let traits: JSONReader.TextTraits
        let nameTraits: JSONReader.TextTraits
        /// The text of the value, without quotation marks; that of a container is its opening bracket.
        let start: UInt32
        let end: UInt32
        /// The name of a member, without quotation marks; that of an element is empty and begins at its index.
        let nameStart: UInt32
        let nameEnd: UInt32
        /// The container; 0, the top, for the top.
        let parent: UInt32
        /// The node behind all that is in this one.
        fileprivate(set) var next: UInt32
        /// How many members or elements are in it.
        fileprivate(set) var count: UInt32 = 0
    }

    let options: JSONContentDecoder
    let convertsNames: Bool
    let userInfo: [CodingUserInfoKey: Any]
    let nodes: [Node]
    private(set) var bytes: UnsafeRawBufferPointer
    /// Bytes of its own, once those that were lent are gone.
    private var copy: UnsafeMutableRawBufferPointer?
    private var convertedNames: [String: String] = [:]
    private var customNames: [Int: String] = [:]
    /// The objects whose names are data, where a strategy changes those of others.
    private(set) var keptNames: Set<Int> = []
    private(set) var missing: [(object: Int, name: String)] = []

    /// Looks through a text, which has to stay where it is until `endBorrowing()`.
    init(borrowing bytes: UnsafeRawBufferPointer, _ options: JSONContentDecoder) throws {
        self.bytes = bytes
        self.options = options
        self.userInfo = options.userInfo
        self.convertsNames = if case .useDefaultKeys = options.keyDecodingStrategy { false } else { true }
        do {
            var index = JSONIndex()
            try index.read(bytes, depthLimit: options.depthLimit)
            self.nodes = index.nodes
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "no JSON in it: \(error.description(in: bytes))"
                )
            )
        }
        if options.refusesDuplicateNames { try refuseDuplicateNames() }
    }

    deinit {
        copy?.deallocate()
    }

    /// The bytes that were lent are about to go; what still knows this document gets a copy of them.
    func endBorrowing() {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyMemory(from: bytes)
        self.copy = copy
        bytes = UnsafeRawBufferPointer(copy)
    }

    func text(of node: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(nodes[node].start)..<Int(nodes[node].end)])
    }

    func keepNames(in object: Int) {
        keptNames.insert(object)
    }

    /// Keeps where somebody asked for what isn't there, and was given null.
    func noteMissing(_ name: String, in object: Int) -> Int {
        missing.append((object, name))
        return missing.count - 1
    }

    /// What a user's closure makes of the name of a member. It is asked once for each: it is told the names of all
    /// containers, which are its own answers.
    func customName(of member: Int, _ convert: () -> String) -> String {
        if let known = customNames[member] { return known }
        let converted = convert()
        customNames[member] = converted
        return converted
    }

    /// What becomes of a name by the strategy that looks at nothing but the name.
    func convertedFromSnakeCase(_ name: String) -> String {
        if let known = convertedNames[name] { return known }
        let converted = SnakeCase.camelCase(of: name)
        convertedNames[name] = converted
        return converted
    }
}

/// Makes the nodes of what the reader reads.
private struct JSONIndex {
    private(set) var nodes: [JSONDocument.Node] = []
    private var open: [Int] = []
    private var name = 0..<0
    private var nameTraits = JSONReader.TextTraits.isASCII

    mutating func read(_ bytes: UnsafeRawBufferPointer, depthLimit: Int) throws(JSONReader.Fault) {
        guard bytes.count < Int(UInt32.max) else {
            throw JSONReader.Fault(offset: 0, reason: "it is longer than 4 GiB; use a JSONDecoder")
        }
        nodes.reserveCapacity(bytes.count / 12 + 1)
        var reader = JSONReader(at: JSONReader.start(of: bytes), depthLimit: depthLimit)
        while let token = try reader.next(in: bytes) {
            switch token {
            case .key(let range):
                name = range.lowerBound + 1..<range.upperBound - 1
                nameTraits = reader.traits
                // Names are looked at before anybody asks for one, and that can't fail: what is no text is refused here.
                if nameTraits != .isASCII { _ = try JSONEscape.text(at: name, in: bytes, nameTraits) }
            case .string(let range):
                add(.string, range.lowerBound + 1..<range.upperBound - 1, reader.traits)
            case .number(let range): add(.number, range)
            case .literal(let range): add(bytes[range.lowerBound] == UInt8(ascii: "n") ? .null : .bool, range)
            case .beginObject: begin(.object, at: reader.position)
            case .beginArray: begin(.array, at: reader.position)
            case .endObject, .endArray: nodes[open.removeLast()].next = UInt32(nodes.count)
            }
        }
    }

    private mutating func begin(_ kind: JSONDocument.Kind, at position: Int) {
        add(kind, position - 1..<position)
        open.append(nodes.count - 1)
    }

    @inline(__always)
    private mutating func add(
        _ kind: JSONDocument.Kind,
        _ range: Range<Int>,
        _ traits: JSONReader.TextTraits = []
    ) {
        let parent = open.last ?? 0
        var (name, nameTraits) = (name, nameTraits)
        if !open.isEmpty {
            if nodes[parent].kind == .array {
                let index = Int(nodes[parent].count)
                (name, nameTraits) = (index..<index, .isASCII)
            }
            nodes[parent].count += 1
        }
        nodes.append(
            JSONDocument.Node(
                kind: kind,
                traits: traits,
                nameTraits: nameTraits,
                start: UInt32(truncatingIfNeeded: range.lowerBound),
                end: UInt32(truncatingIfNeeded: range.upperBound),
                nameStart: UInt32(truncatingIfNeeded: name.lowerBound),
                nameEnd: UInt32(truncatingIfNeeded: name.upperBound),
                parent: UInt32(truncatingIfNeeded: parent),
                next: UInt32(truncatingIfNeeded: nodes.count + 1)
            )
        )
    }
}
