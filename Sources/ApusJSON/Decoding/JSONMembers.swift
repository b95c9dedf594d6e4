internal import Foundation

/// The members of an object by name. If a name occurs twice, its first value is used.
///
/// Short objects are searched member by member, by comparing bytes. Long objects, and objects whose names are converted
/// by a strategy, use a table. Names are compared like Swift strings.
///
/// The containers are generic and not specialized, so the time-consuming work is done here.
struct JSONMembers {
    /// Objects with more members than this get a table of their names.
    private static let longCount: UInt32 = 48

    let object: JSONNodeDecoder
    private let table: [String: Int]?

    init(_ object: JSONNodeDecoder, _ node: Int, keepsNames: Bool) {
        self.object = object
        let document = object.document
        if keepsNames, document.convertsNames { document.keepNames(in: node) }
        let converts = document.convertsNames && !keepsNames
        let isLong = document.nodes[node].count > Self.longCount
        self.table = converts || isLong ? Self.table(document, node) : nil
    }

    private static func table(_ document: JSONDocument, _ object: Int) -> [String: Int] {
        var table: [String: Int] = [:]
        table.reserveCapacity(Int(document.nodes[object].count))
        for member in document.children(of: object) {
            let name = document.writtenName(of: member)
            if table[name] == nil { table[name] = member }
        }
        return table
    }

    /// All names in order, without duplicates.
    var names: [String] {
        if let table { return table.sorted { $0.value < $1.value }.map(\.key) }
        var names: [String] = []
        for member in object.document.children(of: object.node) {
            let name = object.document.name(of: member)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Returns the value of a name, or `nil` if there is none.
    func find(_ name: String) -> JSONNodeDecoder? {
        let node = if let table { table[name] } else { object.document.member(name, of: object.node) }
        return if let node { JSONNodeDecoder(object.document, node) } else { nil }
    }

    /// Returns the value of a key. Throws if there is none.
    func value(_ key: some CodingKey) throws -> JSONNodeDecoder {
        guard let place = find(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: object.codingPath,
                    debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\")."
                )
            )
        }
        return place
    }

    /// Returns the value of a name, or `nil` if it is missing or null.
    func present(_ name: String) -> JSONNodeDecoder? {
        guard let place = find(name), !place.decodeNil() else { return nil }
        return place
    }

    func scalar<Scalar: JSONDecodableScalar>(_ name: String) throws -> Scalar? {
        guard let place = present(name) else { return nil }
        return try Scalar(at: place)
    }

    /// Returns the decoder of a superclass, which is a member of the object.
    func superclass(_ name: String) -> JSONNodeDecoder { find(name) ?? JSONNodeDecoder(missing: name, in: object) }
}

/// Iterates over the child nodes of a container.
struct JSONChildren: Sequence, IteratorProtocol {
    private let nodes: [JSONDocument.Node]
    private let end: Int
    private var node: Int

    init(_ nodes: [JSONDocument.Node], in container: Int) {
        self.nodes = nodes
        self.end = Int(nodes[container].next)
        self.node = container + 1
    }

    mutating func next() -> Int? {
        guard node < end else { return nil }
        defer { node = Int(nodes[node].next) }
        return node
    }
}

extension JSONDocument {
    func children(of node: Int) -> JSONChildren { JSONChildren(nodes, in: node) }

    /// Returns the member with a name, by a search through all members.
    fileprivate func member(_ name: String, of object: Int) -> Int? {
        var name = name
        return name.withUTF8 { name in
            let end = Int(nodes[object].next)
            var node = object + 1
            while node < end {
                if isName(name, of: nodes[node]) { return node }
                node = Int(nodes[node].next)
            }
            return nil
        }
    }

    @inline(__always)
    private func isName(_ name: UnsafeBufferPointer<UInt8>, of node: Node) -> Bool {
        if !node.nameTraits.contains(.hasEscapes) {
            if isSame(name, nameBytes(of: node)) { return true }
            // ASCII text is canonically equivalent to other text only for rare characters, which names do not contain.
            if node.nameTraits.contains(.isASCII) || name.allSatisfy({ $0 < 0x80 }) { return false }
        }
        return (try? JSONEscape.text(of: nameBytes(of: node), node.nameTraits)) == String(decoding: name, as: UTF8.self)
    }

    @inline(__always)
    private func isSame(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let left = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(left, other, right.count) == 0
    }

    private func nameBytes(of node: Node) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Int(node.nameStart)..<Int(node.nameEnd)])
    }

    /// Returns the name of a member as it is in the text. The index has already checked that it is valid.
    fileprivate func name(of member: Int) -> String {
        let node = nodes[member]
        return (try? JSONEscape.text(of: nameBytes(of: node), node.nameTraits)) ?? ""
    }

    /// Returns the name of a member after conversion by the key decoding strategy.
    fileprivate func writtenName(of member: Int) -> String {
        let name = name(of: member)
        let object = Int(nodes[member].parent)
        guard convertsNames, !keptNames.contains(object) else { return name }
        guard case .custom(let convert) = options.keyDecodingStrategy else { return convertedFromSnakeCase(name) }
        return customName(of: member) { convert(path(to: object) + [CodingPathKey(stringValue: name)]).stringValue }
    }

    /// Throws if an object contains a name twice, before any conversion.
    func refuseDuplicateNames() throws {
        for object in nodes.indices where nodes[object].kind == .object && nodes[object].count > 1 {
            var names = Set<String>(minimumCapacity: Int(nodes[object].count))
            for member in children(of: object) where !names.insert(name(of: member)).inserted {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: path(to: object),
                        debugDescription: "an object has the name \(Excerpt.quoted(name(of: member))) twice"
                    )
                )
            }
        }
    }

    /// Returns the coding path of a missing member.
    func path(toMissing member: Int) -> [any CodingKey] {
        path(to: missing[member].object) + [CodingPathKey(stringValue: missing[member].name)]
    }

    /// Returns the coding path of a node.
    func path(to node: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = node
        while node != 0 {
            let parent = Int(nodes[node].parent)
            path.append(
                nodes[parent].kind == .array
                    ? CodingPathKey(intValue: Int(nodes[node].nameStart))
                    : CodingPathKey(stringValue: writtenName(of: node))
            )
            node = parent
        }
        return path.reversed()
    }
}
