/// The parameters of a field: what stands behind its first semicolon.
///
/// See RFC 9110 §5.6.6, https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.6
package enum FieldParameters {
    /// The value of the first parameter of a name, which is in small letters.
    package static func value(of name: String, in field: String) -> String? {
        all(of: field).first { $0.name == name }?.value
    }

    /// All parameters in their order, their names in small letters: `; name=value; name="value"`.
    ///
    /// What is no parameter is passed over, and a quotation that does not end goes on to the end.
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
