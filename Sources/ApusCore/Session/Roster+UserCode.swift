extension Roster {
    /// Whether who asks now is code of the user's that requests wait for, whichever session they are of.
    static var isAskedByUserCode: Bool { admitsAtOnce }
}
