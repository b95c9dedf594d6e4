internal import Apus

/// Sorts the members of JSON objects by name and leaves all else unchanged.
enum JSONKeyOrder {
    private struct Member {
        /// The name in UTF-8. Members are sorted by its bytes, which is the order of Unicode code points.
        let name: [UInt8]
        /// The range of name and value.
        let range: Range<Int>
    }

    /// An object whose members are not in order.
    private struct Object {
        /// The range between the brackets.
        let range: Range<Int>
        let members: [Member]
    }

    /// Returns the text with its members sorted, or `nil` for invalid JSON. Equal names keep their order.
    static func sorted(_ text: [UInt8]) -> [UInt8]? {
        guard let objects = unsorted(in: text) else { return nil }
        guard !objects.isEmpty else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        // The ranges still to be written, the next one last. `nil` stands for a comma.
        var rest: [Range<Int>?] = [0..<text.count]
        while let next = rest.popLast() {
            guard let range = next else {
                output.append(UInt8(ascii: ","))
                continue
            }
            guard let object = first(of: objects, behind: range.lowerBound), object.range.upperBound <= range.upperBound
            else {
                output += text[range]
                continue
            }
            output += text[range.lowerBound..<object.range.lowerBound]
            rest.append(object.range.upperBound..<range.upperBound)
            for (index, member) in object.members.reversed().enumerated() {
                if index > 0 { rest.append(nil) }
                rest.append(member.range)
            }
        }
        return output
    }

    /// Returns the first object that begins after `place`.
    private static func first(of objects: [Object], behind place: Int) -> Object? {
        var (low, high) = (0, objects.count)
        while low < high {
            let middle = (low + high) / 2
            if objects[middle].range.lowerBound <= place { low = middle + 1 } else { high = middle }
        }
        return low < objects.count ? objects[low] : nil
    }

    /// Returns the objects that need sorting, ordered by their start, or `nil` for invalid JSON.
    private static func unsorted(in text: [UInt8]) -> [Object]? {
        /// An object or array that is still open.
        struct Container {
            let begin: Int
            var key: Range<Int>?
            var members: [Member] = []
        }
        var reader = JSONReader(depthLimit: JSONFormatter.depthLimit)
        var open: [Container] = []
        var objects: [Object] = []
        do {
            while let token = try reader.next(in: text) {
                switch token {
                case .beginObject, .beginArray:
                    open.append(Container(begin: reader.position))
                    continue
                case .key(let range):
                    open[open.count - 1].key = range
                    continue
                case .endObject, .endArray:
                    let ended = open.removeLast()
                    if let members = rearranged(ended.members) {
                        objects.append(Object(range: ended.begin..<reader.position - 1, members: members))
                    }
                case .string, .number, .literal:
                    break
                }
                guard let key = open.last?.key else { continue }
                let member = Member(name: JSONEscape.name(text[key]), range: key.lowerBound..<reader.position)
                open[open.count - 1].members.append(member)
                open[open.count - 1].key = nil
            }
        } catch {
            return nil
        }
        return objects.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns the members sorted by name, or `nil` if they already are.
    private static func rearranged(_ members: [Member]) -> [Member]? {
        let isSorted = zip(members, members.dropFirst()).allSatisfy { !$1.name.lexicographicallyPrecedes($0.name) }
        guard !isSorted else { return nil }
        return members.enumerated().sorted { left, right in
            left.element.name == right.element.name
                ? left.offset < right.offset : left.element.name.lexicographicallyPrecedes(right.element.name)
        }
        .map(\.element)
    }
}
