/// The options that affect the exchanges of a request, as a value to compare.
package struct ComparableOptions: Sendable, Hashable {
    private struct Option: Sendable, Hashable {
        let value: any RequestOption & Hashable

        static func == (one: Option, other: Option) -> Bool { isEqual(one.value, other.value) }

        private static func isEqual<Value: Hashable>(_ one: Value, _ other: any Hashable) -> Bool {
            one == other as? Value
        }

        func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    private var options: Set<Option> = []

    mutating func insert(_ option: any RequestOption & Hashable) {
        options.insert(Option(value: option))
    }

    /// Returns the options of both.
    func union(_ other: ComparableOptions) -> ComparableOptions {
        var both = self
        both.options.formUnion(other.options)
        return both
    }
}
