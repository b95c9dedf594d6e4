/// Elements that come and go, each at a place of its own: a set whose elements know where they are, without hashing.
struct SlotList<Element> {
    /// Places beyond so many are given back once all are free.
    private static var keptCount: Int { 1_024 }

    private var slots: [Element?] = []
    private var free: [Int] = []

    var count: Int { slots.count - free.count }

    var isEmpty: Bool { count == 0 }

    var elements: [Element] { slots.compactMap(\.self) }

    /// Puts an element in; returns its place, by which it is taken out.
    mutating func insert(_ element: Element) -> Int {
        guard let place = free.popLast() else {
            slots.append(element)
            return slots.count - 1
        }
        slots[place] = element
        return place
    }

    /// Takes an element out. The caller does so once: the place may be another's then.
    mutating func remove(at place: Int) -> Element? {
        let element = slots[place].take()
        free.append(place)
        if isEmpty, slots.count > Self.keptCount { self = SlotList() }
        return element
    }
}

extension SlotList: Sendable where Element: Sendable {}
