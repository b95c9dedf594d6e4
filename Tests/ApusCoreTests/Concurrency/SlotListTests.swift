internal import ApusTestServer
internal import Testing

@testable internal import ApusCore

@Suite struct SlotListTests {
    @Test func removesAnElementAtItsIndex() {
        var list = SlotList<String>()
        let (a, b) = (list.insert("a"), list.insert("b"))
        #expect(list.elements == ["a", "b"])
        #expect(list.remove(at: a) == "a")
        #expect(list.elements == ["b"])
        #expect(list.insert("c") == a, "a free slot is reused")
        #expect(list.remove(at: b) == "b")
        #expect(list.count == 1 && !list.isEmpty)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func matchesADictionaryOfTheSameElements(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = SlotList<Int>()
        var slots: [Int: Int] = [:]
        for number in 0..<3_000 {
            if Int.random(in: 0..<100, using: &random) < (number < 1_500 ? 70 : 30) {
                let slot = list.insert(number)
                #expect(slots.updateValue(number, forKey: slot) == nil, "the slot was occupied")
            } else if let (slot, element) = slots.min(by: { $0.value < $1.value }) {
                slots[slot] = nil
                #expect(list.remove(at: slot) == element)
            }
            #expect(list.count == slots.count)
        }
        #expect(Set(list.elements) == Set(slots.values))
    }

    /// Once a burst is over, the list releases its memory and starts with the first slot.
    @Test func releasesItsMemoryAfterABurst() {
        var list = SlotList<Int>()
        let slots = (0..<2_000).map { list.insert($0) }
        for slot in slots { _ = list.remove(at: slot) }
        #expect(list.isEmpty)
        #expect(list.insert(1) == 0)
    }
}
