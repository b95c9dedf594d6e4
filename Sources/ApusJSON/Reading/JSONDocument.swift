internal import Foundation

/// An index of JSON text: the start and end of each value, in one array.
///
/// A container precedes its contents, so its first child is the next node. Each node stores the index of the node after
/// its contents. Values are decoded only on request.
final class JSONDocument {
    enum Kind: UInt8 {
        case null, bool, number, string, array, object

        /// The name used in error messages.
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
        /// The traits of the value, if it is a string.
        let traits: JSONReader.TextTraits
        let nameTraits: JSONReader.TextTraits
        /// The range of the value, without quotation marks. For a container, the range of its opening bracket.
        let start: UInt32
        let end: UInt32
        /// The range of a member's name, without quotation marks. For an element, an empty range at its index.
        let nameStart: UInt32
        let nameEnd: UInt32
        /// The container. 0 for the root itself.
        let parent: UInt32
        /// The node after the contents of this one.
        fileprivate(set) var next: UInt32
        /// The number of members or elements.
        fileprivate(set) var count: UInt32 = 0
    }

    let options: JSONContentDecoder
    let convertsNames: Bool
    let userInfo: [CodingUserInfoKey: Any]
    let nodes: [Node]
    private(set) var bytes: UnsafeRawBufferPointer
    /// A copy of the bytes, made when the borrowed ones are no longer valid.
    private var copy: UnsafeMutableRawBufferPointer?
    private var convertedNames: [String: String] = [:]
    private var customNames: [Int: String] = [:]
    /// The objects that are decoded as dictionaries, whose names the strategy does not convert.
    private(set) var keptNames: Set<Int> = []
    private(set) var missing: [(object: Int, name: String)] = []

    /// Indexes a text, which must stay valid until `endBorrowing()`.
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
                    debugDescription: "it is not valid JSON: \(error.description(in: bytes))"
                )
            )
        }
        if options.refusesDuplicateNames { try refuseDuplicateNames() }
    }

    deinit {
        copy?.deallocate()
    }

    /// Copies the borrowed bytes before they become invalid, for decoders that still reference this document.
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

    /// Records the path of a missing member that is decoded as null. Returns its index.
    func noteMissing(_ name: String, in object: Int) -> Int {
        missing.append((object, name))
        return missing.count - 1
    }

    /// Returns the name made by a user's closure. The closure is called only once per member, since its results are
    /// also the coding path passed to later calls.
    func customName(of member: Int, _ convert: () -> String) -> String {
        if let known = customNames[member] { return known }
        let converted = convert()
        customNames[member] = converted
        return converted
    }

    /// Returns the name converted from snake case. The conversion depends on the name alone.
    func convertedFromSnakeCase(_ name: String) -> String {
        if let known = convertedNames[name] { return known }
        let converted = SnakeCase.camelCase(of: name)
        convertedNames[name] = converted
        return converted
    }
}

/// Builds the nodes from the tokens of the reader.
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
                // Later lookups of names can't throw, so reject invalid names here.
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
