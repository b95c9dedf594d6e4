internal import Apus

extension MediaTypes {
    /// The media type that the end of a file's name tells; `nil` where it tells none.
    static func knownType(ofFile name: String) -> String? {
        let name = name.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let suffix = String(name[name.index(after: dot)...])
        let type = type(forExtension: suffix)
        return type == unknown && suffix.lowercased() != "bin" ? nil : type
    }

    /// What the name of a file of this media type ends in; `nil` where that is not known, or the type says nothing.
    static func suffix(ofType type: String) -> String? {
        type.prefix { $0 != ";" && $0 != " " }.lowercased() == unknown ? nil : preferredExtension(for: type)
    }
}
