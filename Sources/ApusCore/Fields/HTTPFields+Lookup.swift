package import HTTPTypes

extension HTTPFields {
    /// Returns whether a field has this name.
    ///
    /// It compares lengths first, since most names differ in length and comparing strings takes several times as long.
    package func has(_ name: HTTPField.Name) -> Bool {
        let length = name.canonicalName.utf8.count
        for index in indices where self[index].name.canonicalName.utf8.count == length {
            if self[index].name == name { return true }
        }
        return false
    }
}
