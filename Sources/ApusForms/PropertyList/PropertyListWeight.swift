internal import ApusCore

/// What a value of a property list costs, with all that stands in it.
struct PropertyListWeight {
    private(set) var values = 1
    private(set) var bytes = 0
    private(set) var depth = 0

    /// What a string or data of so many bytes costs.
    init(bytes: Int = 0) {
        self.bytes = bytes
    }

    /// An array or dictionary without anything in it.
    static let container: PropertyListWeight = {
        var weight = PropertyListWeight()
        weight.depth = 1
        return weight
    }()

    /// Adds what stands in it.
    mutating func add(_ other: PropertyListWeight, limits: PropertyListLimits) throws(PropertyListFault) {
        values += other.values
        bytes += other.bytes
        depth = max(depth, other.depth + 1)
        guard values <= limits.maximumValues else {
            throw PropertyListFault(
                "it has more than \(limits.maximumValues) values; raise PropertyListLimits.maximumValues"
            )
        }
        guard bytes <= limits.maximumBytes else {
            throw PropertyListFault(
                "its strings and data have more than \(limits.maximumBytes) bytes; raise PropertyListLimits.maximumBytes"
            )
        }
        try PropertyListWeight.check(depth: depth, limits: limits)
    }

    /// Refuses what is nested too deep.
    static func check(depth: Int, limits: PropertyListLimits) throws(PropertyListFault) {
        let deepest = min(limits.maximumDepth, PropertyListValue.deepestNesting)
        guard depth <= deepest else {
            throw PropertyListFault(
                "it is nested deeper than \(deepest); PropertyListLimits.maximumDepth says how deep it may be"
            )
        }
    }
}

/// What is wrong with a property list.
struct PropertyListFault: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// A dictionary has a key, and another that a `Dictionary` does not tell from it.
    static func twice(_ key: String, known: String) -> PropertyListFault {
        let isSame = key.isSame(as: known)
        let form = isSame ? "" : " in two forms, which are equivalent in Unicode, and one key of a Dictionary"
        return PropertyListFault("the key \(Excerpt.quoted(key)) is there twice\(form)")
    }
}
