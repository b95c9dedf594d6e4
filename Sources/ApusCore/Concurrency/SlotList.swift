/// A set without hashing. Each element has a slot, and is removed by the index of that slot.
struct SlotList<Element> {
    /// If the list is larger than this, its memory is freed when it becomes empty.
    private static var keptCount: Int { 1_024 }

    private var slots: [Element?] = []
    private var free: [Int] = []

    var count: Int { slots.count - free.count }

    var isEmpty: Bool { count == 0 }

    var elements: [Element] { slots.compactMap(\.self) }

    /// Inserts an element. Returns its index, which is needed to remove it.
    mutating func insert(_ element: Element) -> Int {
        guard let place = free.popLast() else {
            slots.append(element)
            return slots.count - 1
        }
        slots[place] = element
        return place
    }

    /// Removes an element. Call this only once per element, since its slot may be reused.
    mutating func remove(at place: Int) -> Element? {
        let element = slots[place].take()
        free.append(place)
        if isEmpty, slots.count > Self.keptCount { self = SlotList() }
        return element
    }
}

extension SlotList: Sendable where Element: Sendable {}
