package import Dispatch

/// A queue for callbacks, whose label identifies it to the code that runs on it.
package struct TestQueue: Sendable {
    private static let key = DispatchSpecificKey<String>()

    package let queue: DispatchQueue

    package init(_ label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.key, value: label)
    }

    package static var current: String? { DispatchQueue.getSpecific(key: key) }
}
