/// The size of a property list value with all values in it, for comparison with the limits.
struct PropertyListWeight {
    private(set) var values = 1
    private(set) var bytes = 0
    private(set) var depth = 0

    /// Creates the weight of a string or data of a number of bytes.
    init(bytes: Int = 0) {
        self.bytes = bytes
    }

    /// The weight of an empty array or dictionary.
    static let container: PropertyListWeight = {
        var weight = PropertyListWeight()
        weight.depth = 1
        return weight
    }()

    /// Adds the weight of a value in it.
    mutating func add(_ other: PropertyListWeight, limits: PropertyListLimits) throws(PropertyListFault) {
        values += other.values
        bytes += other.bytes
        depth = max(depth, other.depth + 1)
        guard values <= limits.maximumValues else {
            throw PropertyListFault(
                "it has more than \(limits.maximumValues) values; raise PropertyListLimits.maximumValues",
                .limit
            )
        }
        guard bytes <= limits.maximumBytes else {
            throw PropertyListFault(
                "its strings and data have more than \(limits.maximumBytes) bytes; "
                    + "raise PropertyListLimits.maximumBytes",
                .limit
            )
        }
        try PropertyListWeight.check(depth: depth, limits: limits)
    }

    /// Throws if the nesting depth exceeds the limit.
    static func check(depth: Int, limits: PropertyListLimits) throws(PropertyListFault) {
        let deepest = min(limits.maximumDepth, PropertyListValue.deepestNesting)
        guard depth <= deepest else {
            throw PropertyListFault(
                "it is nested deeper than \(deepest); PropertyListLimits.maximumDepth sets the limit",
                .limit
            )
        }
    }
}
