internal import Apus

extension MediaTypes {
    /// Returns the media type for the extension of a file name, or `nil` if it is unknown.
    static func knownType(ofFile name: String) -> String? {
        let name = name.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = String(name[name.index(after: dot)...])
        let type = type(forExtension: suffix)
        return type == unknown && suffix.lowercased() != "bin" ? nil : type
    }

    /// Returns the usual extension for a media type, or `nil` if there is none or the type is generic.
    static func suffix(ofType type: String) -> String? {
        type.prefix { $0 != ";" && $0 != " " }.lowercased() == unknown ? nil : preferredExtension(for: type)
    }
}
