internal import ApusCore
internal import ApusJSON

/// An error in a property list.
struct PropertyListFault: Error {
    /// The kind of the error, as the predicate of its sentence.
    enum Kind: String {
        case invalid = "is invalid"
        case limit = "exceeds a limit"
    }

    let kind: Kind
    let message: String

    init(_ message: String, _ kind: Kind = .invalid) {
        self.kind = kind
        self.message = message
    }

    /// Returns the error for the caller, with the line and column if the property list is XML.
    func error(at position: XMLPosition? = nil) -> ApusError {
        let place = position.map { " at \($0)" } ?? ""
        return ApusError(.decodingFailed, "the property list \(kind.rawValue)\(place): \(message)")
    }

    /// Returns the error for a dictionary with a duplicate key, or with two keys that `Dictionary` considers equal.
    static func twice(_ key: String, known: String) -> PropertyListFault {
        let isSame = key.isSame(as: known)
        let form = isSame ? "" : " in two forms, which are equivalent in Unicode and the same key of a Dictionary"
        return PropertyListFault("the key \(Excerpt.quoted(key)) occurs twice\(form)")
    }
}
