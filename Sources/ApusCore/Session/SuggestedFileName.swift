/// The name of a file that a server may suggest, but not choose: one name in one folder, whatever it sent.
package enum SuggestedFileName {
    /// The longest name, in bytes, that common file systems take.
    package static let longest = 255

    /// The name for what was downloaded.
    ///
    /// - Parameters:
    ///   - disposition: The `Content-Disposition` field, whose name comes first.
    ///   - path: Path and query of the URL that was typed, whose last component comes next.
    ///   - suffix: The end for a name that has none; `nil` by default.
    /// - Returns: A name without a folder, never empty.
    package static func name(disposition: String?, path: String, suffix: @autoclosure () -> String? = nil) -> String {
        if let name = disposition.flatMap(fileName).flatMap(reduced) { return name }
        let component = path.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
        let name = reduced(PercentEncoding.decode(component)) ?? "index"
        guard !name.contains("."), let suffix = suffix() else { return name }
        return shortened("\(name).\(suffix)", to: longest)
    }

    /// What is left of a name when it can't lead out of its folder, hide, look like an option, or steer a terminal:
    /// its last component, without what steers and without dots, dashes and spaces ahead; `nil` if that is nothing.
    package static func reduced(_ name: String) -> String? {
        // By scalars: a slash that a combining mark follows is no slash as a character, and one as a byte.
        guard let component = name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else {
            return nil
        }
        var scalars = String.UnicodeScalarView()
        for scalar in component where !ControlCharacters.steers(scalar.value) {
            scalars.append(scalar == "\t" || scalar == "\n" ? " " : scalar)
        }
        var rest = scalars.drop { $0 == "." || $0 == "-" || $0.properties.isWhitespace }
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return rest.isEmpty ? nil : shortened(String(rest), to: longest)
    }

    /// The name with a number behind it, for when it is taken: `photo.jpg-1`. No number is 0.
    package static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 0 else { return name }
        let suffix = "-\(number)"
        return shortened(name, to: longest - suffix.utf8.count) + suffix
    }

    /// The name cut to a number of bytes, between two characters, with its end kept if that is short.
    private static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        var suffix = name.lastIndex(of: ".").map { String(name[$0...]) } ?? ""
        if suffix.utf8.count > 16 { suffix = "" }
        var scalars = String.UnicodeScalarView()
        var count = suffix.utf8.count
        for scalar in name.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            scalars.append(scalar)
        }
        return String(scalars) + suffix
    }
}

extension SuggestedFileName {
    /// The file name of a `Content-Disposition`; `filename*` comes before `filename`.
    ///
    /// See RFC 6266, https://www.rfc-editor.org/rfc/rfc6266.html
    package static func fileName(_ disposition: String) -> String? {
        var plain: String?
        for (name, value) in FieldParameters.all(of: disposition) {
            if name == "filename*", let decoded = extended(value) { return decoded }
            if name == "filename", plain == nil { plain = value }
        }
        return plain
    }

    /// `UTF-8''na%C3%AFve.txt`, or the same in ISO-8859-1. See RFC 8187, https://www.rfc-editor.org/rfc/rfc8187.html
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return PercentEncoding.decode(String(parts[2]))
        case "iso-8859-1":
            // Decoded as if each byte were a scalar of its own, which in this encoding it is.
            var scalars = String.UnicodeScalarView()
            var rest = parts[2].utf8[...]
            while let byte = rest.popFirst() {
                let digits = rest.prefix(2).compactMap { PercentEncoding.hexadecimalValue($0) }
                guard byte == UInt8(ascii: "%"), digits.count == 2, rest.count >= 2 else {
                    scalars.append(Unicode.Scalar(byte))
                    continue
                }
                rest = rest.dropFirst(2)
                scalars.append(Unicode.Scalar(UInt8(digits[0] << 4 | digits[1])))
            }
            return String(scalars)
        default: return nil
        }
    }
}
