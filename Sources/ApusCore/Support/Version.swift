/// The version of the library.
public enum Version {
    /// The version, after SemVer.
    public static let current = "0.1.0"
}
