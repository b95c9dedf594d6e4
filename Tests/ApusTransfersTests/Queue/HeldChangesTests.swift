internal import ApusCore
internal import Testing

@testable internal import ApusTransfers

@Suite struct HeldChangesTests {
    /// Changes that are passed on through a reference, so that expectations may do so.
    private final class Holder {
        private var held: HeldChanges
        private let state: TransferQueueState

        init(_ records: [TransferRecord] = [], transferCount: Int = 10) {
            held = HeldChanges(transferCount: transferCount)
            state = TransferQueueState(records, longestDelay: 0)
        }

        var lackRoom: Bool { held.lackRoom }

        func keeps(_ records: [TransferRecord], byteCount: Int64 = 1, room: Int64 = 1) -> Bool {
            let change = IncomingChanges.Change(name: "1", records: records, byteCount: byteCount, isDamaged: false)
            return held.keep(change, of: state, room: room)
        }
    }

    private let a = TransferID(rawValue: "a")
    private let b = TransferID(rawValue: "b")

    private func added(_ name: String) throws -> TransferRecord { .added(try RecordSamples.transfer(name)) }

    @Test func holdsAnAdditionThatFindsNoRoom() throws {
        let holder = Holder()
        #expect(try !holder.keeps([added("a")], byteCount: 7, room: 7))
        #expect(!holder.lackRoom)
        #expect(try holder.keeps([added("b")], byteCount: 8, room: 7))
        #expect(holder.lackRoom)
    }

    @Test func limitsTheTransfers() throws {
        let holder = Holder([try added("a")], transferCount: 3)
        #expect(try !holder.keeps([added("b"), added("c")]))
        #expect(try holder.keeps([added("b"), added("c"), added("d")]))
        #expect(holder.lackRoom)
    }

    @Test func needsNoRoomForARepetition() throws {
        let holder = Holder([try added("a")], transferCount: 2)
        #expect(try !holder.keeps([added("a")], byteCount: 8, room: 7))
        #expect(try !holder.keeps([added("a"), added("b"), added("b")]))
    }

    @Test func needsNoRoomForOtherChanges() throws {
        let holder = Holder([try added("a")], transferCount: 0)
        #expect(!holder.keeps([.paused(a), .resumed(a), .removed(a)], byteCount: 8, room: 7))
    }

    /// A removal must not be taken up before its addition.
    @Test func holdsLaterChangesOfTheSameTransfer() throws {
        let holder = Holder()
        #expect(try holder.keeps([added("a")], room: 0))
        #expect(!holder.keeps([.paused(b)]))
        #expect(holder.keeps([.removed(a)]))
        #expect(holder.keeps([.removed(b), .paused(a)]))
        #expect(holder.keeps([.resumed(b)]))
    }

    @Test func holdsATransferThatIsBeingRemoved() throws {
        let holder = Holder([try added("a"), .started(a), .removed(a)])
        #expect(try holder.keeps([added("a")]))
        #expect(!holder.lackRoom)
        #expect(holder.keeps([.paused(a)]))
    }
}
