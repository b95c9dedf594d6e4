/// Parses the parameters of a field, which follow its first semicolon.
///
/// See RFC 9110 §5.6.6, https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.6
package enum FieldParameters {
    /// Returns the value of the first parameter with this name. `name` must be in lowercase.
    package static func value(of name: String, in field: String) -> String? {
        all(of: field).first { $0.name == name }?.value
    }

    /// Returns all parameters in order, with their names in lowercase: `; name=value; name="value"`.
    ///
    /// Skips invalid parameters. A quoted value without an end extends to the end of the field.
    package static func all(of field: String) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        var rest = field.unicodeScalars[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " || $0 == "\t" }
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }) else { break }
            guard rest[equals] == "=" else { continue }
            let name = String(rest[..<equals]).filter { $0 != " " && $0 != "\t" }.lowercased()
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            parameters.append((name, rest.first == "\"" ? quoted(&rest) : token(&rest)))
        }
        return parameters
    }

    private static func quoted(_ rest: inout String.UnicodeScalarView.SubSequence) -> String {
        rest.removeFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let escaped = rest.popFirst() { value.append(escaped) } else { value.append(scalar) }
        }
        return String(value)
    }

    private static func token(_ rest: inout String.UnicodeScalarView.SubSequence) -> String {
        let value = rest.prefix { $0 != ";" }
        rest = rest[value.endIndex...]
        return String(value).trimmed
    }
}
