extension PartialFile {
    /// The name of a part beside its destination.
    package enum Naming: Sendable {
        /// The name of the destination with the suffix `.part`. A later process finds the part there.
        case stable
        /// A random name, without a record on the disk.
        case random
    }

    private static let partSuffix = ".part"
    private static let recordSuffix = ".json"
    /// The length of the longest file name, on all common file systems.
    private static let longestNameBytes = 255

    /// Returns the path of the part of a destination.
    static func partPath(for destination: String, _ naming: Naming) -> String {
        let folder = FilePlacement.folder(of: destination)
        guard naming == .stable else { return FilePlacement.temporaryPath(in: folder) }
        let name = destination.utf8.dropFirst(folder.utf8.count)
        // The name of the record is longer than that of the part, and must fit too.
        guard name.count + partSuffix.utf8.count + recordSuffix.utf8.count > longestNameBytes else {
            return destination + partSuffix
        }
        return folder + StableHash.fnv1a(name).padded(to: 16, radix: 16) + partSuffix
    }

    /// Returns the path of the record of a part. `nil` if its name would be too long.
    static func recordPath(of part: String) -> String? {
        let nameBytes = part.utf8.count - FilePlacement.folder(of: part).utf8.count + recordSuffix.utf8.count
        return nameBytes <= longestNameBytes ? part + recordSuffix : nil
    }
}
