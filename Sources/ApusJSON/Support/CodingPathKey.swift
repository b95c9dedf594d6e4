/// A coding key for an element, or for a name in the path to a value, independent of the user's key types.
package struct CodingPathKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    package init(intValue: Int) {
        self.stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}

/// A dictionary with string keys. Its keys are data, not property names.
package protocol DictionaryOfNames {}

extension Dictionary: DictionaryOfNames where Key == String {}
