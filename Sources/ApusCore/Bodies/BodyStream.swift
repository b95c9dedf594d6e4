/// Holds a source for all copies of a body. Hands it to one reader, and cancels it when all copies are released.
package final class BodyStream: Sendable {
    private enum Use: Equatable {
        case unread
        /// Has a reader: an iterator (`nil`), or the body that wraps this one.
        case begun(by: ObjectIdentifier?)
        /// The rest is being drained, and releasing the body must not interrupt that.
        case discarded
    }

    package let source: any BodySource
    private let use = Lock(Use.unread)

    init(_ source: some BodySource) {
        self.source = source
    }

    deinit {
        if use.withLock({ $0 }) != .discarded { source.cancel() }
    }

    package static var alreadyRead: ApusError { ApusError(.bodyAlreadyRead, "a response body can be read only once") }

    /// Makes an iterator the reader. Returns `false` if the body already has one.
    func begin() -> Bool { turn(.begun(by: nil), from: nil) }

    /// Returns the next chunk for a body that wraps this one. The first reader is the only one.
    package func next(for reader: some BodySource) async throws(ApusError) -> BodyChunk? {
        let reader = ObjectIdentifier(reader)
        guard turn(.begun(by: reader), from: reader) || use.withLock({ $0 }) == .discarded else {
            throw Self.alreadyRead
        }
        return try await source.next()
    }

    /// Discards the rest, also for the body that reads this one. Cancels the source if it has another reader.
    package func discard(for reader: (any BodySource)? = nil) {
        guard turn(.discarded, from: reader.map { ObjectIdentifier($0) }) else { return source.cancel() }
        source.discard()
    }

    /// Sets the use of a body that is unread, or is read by `reader`. Returns `false` in other cases.
    private func turn(_ newUse: Use, from reader: ObjectIdentifier?) -> Bool {
        use.withLock { use in
            guard use == .unread || reader != nil && use == .begun(by: reader) else { return false }
            use = newUse
            return true
        }
    }
}
