/// A key that no type of the user's has: an element's, or a name on the way to a value.
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

/// A dictionary whose keys are strings: they are data, and no names of properties.
package protocol DictionaryOfNames {}

extension Dictionary: DictionaryOfNames where Key == String {}
