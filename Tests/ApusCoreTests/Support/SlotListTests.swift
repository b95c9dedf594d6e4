internal import ApusTestServer
internal import Testing

@testable internal import ApusCore

@Suite struct SlotListTests {
    @Test func takesOutWhatWasPutInAtAPlace() {
        var list = SlotList<String>()
        let (a, b) = (list.insert("a"), list.insert("b"))
        #expect(list.elements == ["a", "b"])
        #expect(list.remove(at: a) == "a")
        #expect(list.elements == ["b"])
        #expect(list.insert("c") == a, "a place that is free is used again")
        #expect(list.remove(at: b) == "b")
        #expect(list.count == 1 && !list.isEmpty)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func holdsWhatASetHolds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = SlotList<Int>()
        var places: [Int: Int] = [:]
        for number in 0..<3_000 {
            if Int.random(in: 0..<100, using: &random) < (number < 1_500 ? 70 : 30) {
                let place = list.insert(number)
                #expect(places.updateValue(number, forKey: place) == nil, "the place was another's")
            } else if let (place, element) = places.min(by: { $0.value < $1.value }) {
                places[place] = nil
                #expect(list.remove(at: place) == element)
            }
            #expect(list.count == places.count)
        }
        #expect(Set(list.elements) == Set(places.values))
    }

    /// A burst leaves no memory behind: afterwards the first place is the first again.
    @Test func givesItsMemoryBackBehindABurst() {
        var list = SlotList<Int>()
        let places = (0..<2_000).map { list.insert($0) }
        for place in places { _ = list.remove(at: place) }
        #expect(list.isEmpty)
        #expect(list.insert(1) == 0)
    }
}
