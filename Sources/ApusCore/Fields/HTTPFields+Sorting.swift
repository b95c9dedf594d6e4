public import HTTPTypes

extension HTTPFields {
    /// Sorts the fields by name, without regard to letter case. Fields with the same name keep their order.
    public mutating func sortByName() {
        self = sortedByName()
    }

    /// Returns the fields sorted by name, without regard to letter case. Fields with the same name keep their order.
    public func sortedByName() -> HTTPFields {
        HTTPFields(sorted { $0.name.canonicalName < $1.name.canonicalName })
    }
}
