/// The version of the library.
public enum ApusVersion {
    /// The current version, as defined by Semantic Versioning.
    public static let current = "0.1.0"
}
