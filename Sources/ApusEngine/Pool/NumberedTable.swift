/// Values by number, in a sorted array. An origin has few connections, and for those a dictionary is several times
/// slower.
struct NumberedTable<Value> {
    private var entries: [(number: Int, value: Value)] = []

    var count: Int { entries.count }

    var isEmpty: Bool { entries.isEmpty }

    var values: some Sequence<Value> { entries.lazy.map(\.value) }

    /// The value for a number. Setting `nil` removes it.
    subscript(number: Int) -> Value? {
        get {
            let place = place(of: number)
            return isAt(place, number) ? entries[place].value : nil
        }
        set {
            let place = place(of: number)
            switch (isAt(place, number), newValue) {
            case (true, let value?): entries[place].value = value
            case (true, nil): entries.remove(at: place)
            case (false, let value?): entries.insert((number, value), at: place)
            case (false, nil): break
            }
        }
    }

    /// Changes the value for a number in place. Returns `false` if there is none.
    @discardableResult
    mutating func update(_ number: Int, _ change: (inout Value) -> Void) -> Bool {
        let place = place(of: number)
        guard isAt(place, number) else { return false }
        change(&entries[place].value)
        return true
    }

    /// Removes and returns a value.
    mutating func removeValue(_ number: Int) -> Value? {
        let place = place(of: number)
        return isAt(place, number) ? entries.remove(at: place).value : nil
    }

    /// Returns whether any pair of a number and its value satisfies a condition.
    func contains(where condition: (Int, Value) -> Bool) -> Bool {
        entries.contains { condition($0.number, $0.value) }
    }

    /// Returns the index of a number, or the index at which it would be inserted.
    private func place(of number: Int) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isAt(_ place: Int, _ number: Int) -> Bool {
        place < entries.count && entries[place].number == number
    }
}
