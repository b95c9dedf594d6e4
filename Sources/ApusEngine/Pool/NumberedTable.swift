/// Values by their number: in an array, sorted by it. An origin has few connections, and a dictionary costs several times as
/// much for those.
struct NumberedTable<Value> {
    private var entries: [(number: Int, value: Value)] = []

    var count: Int { entries.count }

    var isEmpty: Bool { entries.isEmpty }

    var values: some Sequence<Value> { entries.lazy.map(\.value) }

    /// The value of a number; `nil` takes it out.
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

    /// Changes the value of a number in its place; `false` where it has none.
    @discardableResult
    mutating func update(_ number: Int, _ change: (inout Value) -> Void) -> Bool {
        let place = place(of: number)
        guard isAt(place, number) else { return false }
        change(&entries[place].value)
        return true
    }

    /// Takes a value out.
    mutating func removeValue(_ number: Int) -> Value? {
        let place = place(of: number)
        return isAt(place, number) ? entries.remove(at: place).value : nil
    }

    /// Whether any pair of a number and its value satisfies a condition.
    func contains(where condition: (Int, Value) -> Bool) -> Bool {
        entries.contains { condition($0.number, $0.value) }
    }

    /// Where a number is, or belongs.
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
