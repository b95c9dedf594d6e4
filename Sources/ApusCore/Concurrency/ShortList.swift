/// A list that stores its first element inline, since it mostly has only one.
struct ShortList<Element> {
    private var first: Element?
    private var others: [Element] = []

    /// Returns the element at an index, or `nil` after the end.
    subscript(index: Int) -> Element? {
        index == 0 ? first : index <= others.count ? others[index - 1] : nil
    }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }
}

extension ShortList: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let list: ShortList
        fileprivate var index = 0

        mutating func next() -> Element? {
            defer { index += 1 }
            return list[index]
        }
    }

    func makeIterator() -> Iterator { Iterator(list: self) }
}

extension ShortList: Sendable where Element: Sendable {}
