/// The changes that stay in their files for now.
///
/// A change is held back if it finds no room, or if it adds a transfer again whose removal has not ended. All later
/// changes of its transfers are held back too: a removal that is taken up before its addition would be lost.
struct HeldChanges {
    private let transferCount: Int
    private var ids: Set<TransferID> = []
    /// Whether a change has found no room.
    private(set) var lackRoom = false

    /// - Parameter transferCount: The maximum number of transfers in the queue.
    init(transferCount: Int) {
        self.transferCount = transferCount
    }

    /// Returns whether a change is held back. The changes are passed in their order.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - state: The state without the change.
    ///   - room: The bytes that added transfers may still have.
    /// - Returns: Whether the change is held back.
    mutating func keep(_ change: IncomingChanges.Change, of state: TransferQueueState, room: Int64) -> Bool {
        let concerned = Set(change.records.compactMap(\.transferID))
        let added = Set(change.records.filter(\.isAddition).compactMap(\.transferID))
        let isEarly = !ids.isDisjoint(with: concerned) || added.contains { state[$0]?.state == .removing }
        // A transfer that the queue has already needs no room, since it is ignored.
        let newCount = added.count(where: { state[$0] == nil })
        let fits = change.byteCount <= room && state.count + newCount <= transferCount
        let isTooMuch = !isEarly && newCount > 0 && !fits
        guard isEarly || isTooMuch else { return false }
        if isTooMuch { lackRoom = true }
        ids.formUnion(concerned)
        return true
    }
}
