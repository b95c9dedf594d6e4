/// The format of the output: `--sorted`, `--unsorted` and `--format-options`.
struct FormatOptions: Equatable, Sendable {
    /// The maximum indentation. With a larger one, a few levels would exceed the width of a terminal.
    static let largestIndentation = 40

    /// `headers.sort`: whether fields are sorted by name.
    var sortsFields = false
    /// `json.format`: whether JSON is broken into lines.
    var formatsJSON = true
    /// `json.indent`: the number of spaces per level.
    var jsonIndentation = 4
    /// `json.sort_keys`: whether the members of objects are sorted by name.
    var sortsKeys = false
    /// `xml.format`: whether XML is broken into lines.
    var formatsXML = true
    /// `xml.indent`: the number of spaces per level.
    var xmlIndentation = 2

    /// Sets the options of a list: `json.indent:2,headers.sort:true`.
    ///
    /// - Throws: `CommandFault` for an unknown option or an invalid value.
    mutating func take(_ list: String) throws(CommandFault) {
        for option in list.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = option.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else {
                throw CommandFault("--format-options needs option:value, like json.indent:2, not '\(option)'")
            }
            try set(pair[0].lowercased(), to: pair[1])
        }
    }

    private mutating func set(_ name: String, to value: Substring) throws(CommandFault) {
        switch name {
        case "headers.sort": sortsFields = try Self.flag(value, name)
        case "json.format": formatsJSON = try Self.flag(value, name)
        case "json.indent": jsonIndentation = try Self.indentation(value, name)
        case "json.sort_keys": sortsKeys = try Self.flag(value, name)
        case "xml.format": formatsXML = try Self.flag(value, name)
        case "xml.indent": xmlIndentation = try Self.indentation(value, name)
        default:
            throw CommandFault(
                """
                --format-options accepts headers.sort, json.format, json.indent, json.sort_keys, xml.format and \
                xml.indent, not '\(name)'
                """
            )
        }
    }

    private static func flag(_ value: Substring, _ name: String) throws(CommandFault) -> Bool {
        switch value.lowercased() {
        case "true": return true
        case "false": return false
        default: throw CommandFault("--format-options has '\(value)' for \(name); write true or false")
        }
    }

    private static func indentation(_ value: Substring, _ name: String) throws(CommandFault) -> Int {
        guard let count = Int(value), (0...largestIndentation).contains(count) else {
            throw CommandFault(
                "--format-options has '\(value)' for \(name); write a number of spaces from 0 to \(largestIndentation)"
            )
        }
        return count
    }
}
