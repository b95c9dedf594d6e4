internal import ApusCore

/// A list that any thread can append to.
package final class LockedList<Element: Sendable>: Sendable {
    private let stored = Lock<[Element]>([])

    package init() {}

    package var all: [Element] { stored.withLock { $0 } }
    package var count: Int { stored.withLock { $0.count } }

    package func append(_ element: Element) { stored.withLock { $0.append(element) } }
}
