internal import Apus
internal import ApusCore
internal import ApusDocuments

extension ApusError {
    static func unarchivable(_ type: Any.Type) -> ApusError {
        ApusError(
            .invalidConfiguration,
            "a serializer of the type \(type) can't be archived; set one of the library's, and set yours again on the "
                + "restored manager"
        )
    }
}

extension PropertyListFormat {
    var archived: String {
        switch self {
        case .xml: "xml"
        case .binary: "binary"
        }
    }

    init(archived name: String) throws(ApusError) {
        guard let format = Self.allCases.first(where: { $0.archived == name }) else {
            throw .archived("an unknown property list format")
        }
        self = format
    }
}

extension PropertyListLimits {
    var archived: [Int] { [maximumBytes, maximumDepth, maximumValues] }

    init(archived: [Int]) throws(ApusError) {
        let values = try archived.limits(3)
        self.init(maximumBytes: values[0], maximumDepth: values[1], maximumValues: values[2])
    }
}

extension XMLLimits {
    var archived: [Int] { [maximumBytes, maximumDepth, maximumAttributes, maximumNodes] }

    init(archived: [Int]) throws(ApusError) {
        let values = try archived.limits(4)
        self.init(
            maximumBytes: values[0],
            maximumDepth: values[1],
            maximumAttributes: values[2],
            maximumNodes: values[3]
        )
    }
}

extension [Int] {
    /// Returns the limits if their number is correct and none is negative.
    func limits(_ count: Int) throws(ApusError) -> [Int] {
        guard self.count == count, allSatisfy({ $0 >= 0 }) else { throw .archived("invalid limits") }
        return self
    }
}
