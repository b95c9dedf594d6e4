internal import ApusJSON
public import HTTPTypes

/// Chooses the file name of a download from the server's suggestion: always one safe name in one folder.
package enum SuggestedFileName {
    /// The maximum length of a name, in bytes, that common file systems accept.
    package static let longest = 255

    /// Returns the file name of a download.
    ///
    /// - Parameters:
    ///   - disposition: The `Content-Disposition` field, whose file name has priority.
    ///   - path: The path and query of the requested URL. Its last component is the second choice.
    ///   - suffix: The extension for a name that has none. Default: `nil`.
    /// - Returns: A name without a folder, never empty.
    package static func name(disposition: String?, path: String, suffix: @autoclosure () -> String? = nil) -> String {
        if let name = disposition.flatMap(fileName).flatMap(reduced) { return name }
        let component = path.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
        let name = reduced(PercentEncoding.decode(component)) ?? "index"
        guard !name.contains("."), let suffix = suffix() else { return name }
        return shortened("\(name).\(suffix)", to: longest)
    }

    /// Returns the last component of a name without terminal control characters and without leading dots, dashes and
    /// spaces, or `nil` if nothing is left. Such a name can't leave its folder, be hidden, or look like an option.
    package static func reduced(_ name: String) -> String? {
        // Compares scalars: a slash followed by a combining mark is a different character, but still a slash as a byte.
        guard let component = name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else {
            return nil
        }
        var scalars = String.UnicodeScalarView()
        for scalar in component where !ControlCharacters.steers(scalar.value) {
            scalars.append(scalar == "\t" || scalar == "\n" ? " " : scalar)
        }
        var rest = scalars.drop { $0 == "." || $0 == "-" || $0.properties.isWhitespace }
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        guard !rest.isEmpty else { return nil }
        return shortened(namesNoPart(String(rest)), to: longest)
    }

    /// Returns the name, with an underscore if it is that of a part, which a later download would continue.
    private static func namesNoPart(_ name: String) -> String {
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".part") || lowercased.hasSuffix(".part.json") ? name + "_" : name
    }

    /// Returns the name with a number appended, in case it is taken: `photo.jpg-1`. 0 appends none.
    package static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 0 else { return name }
        let suffix = "-\(number)"
        return shortened(name, to: longest - suffix.utf8.count) + suffix
    }

    /// Returns the name cut to a number of bytes, at a character boundary. Keeps the extension if it is short.
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
    /// Returns the file name of a `Content-Disposition` field. `filename*` has priority over `filename`.
    ///
    /// See RFC 6266, https://www.rfc-editor.org/rfc/rfc6266.html
    package static func fileName(_ disposition: String) -> String? {
        var plain: String?
        for (name, value) in FieldParameters.all(of: disposition) {
            if name == "filename*", let decoded = ExtendedValue.text(value) { return decoded }
            if name == "filename", plain == nil { plain = value }
        }
        return plain
    }
}

extension HTTPResponse {
    /// Returns the file name that the server suggests for its body: that of the `Content-Disposition` field, else the last
    /// component of the URL.
    ///
    /// It is one name without a folder, never empty, hidden or longer than 255 bytes, whatever the server has sent.
    ///
    /// - Parameter target: The target of the response.
    /// - Returns: The name.
    ///
    /// See RFC 6266 §4.3, https://www.rfc-editor.org/rfc/rfc6266.html#section-4.3
    public func suggestedFileName(for target: TargetURI) -> String {
        SuggestedFileName.name(disposition: headerFields[.contentDisposition], path: target.path)
    }
}
