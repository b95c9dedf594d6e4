/// How output is laid out, where it is: what `--sorted`, `--unsorted` and `--format-options` say.
struct FormatOptions: Equatable, Sendable {
    /// Wider than that, a few levels fill a terminal.
    static let largestIndentation = 40

    /// `headers.sort`: whether fields are shown by name, and not in the order in which they were sent.
    var sortsFields = false
    /// `json.format`: whether JSON is broken into lines.
    var formatsJSON = true
    /// `json.indent`: spaces a level.
    var jsonIndentation = 4
    /// `json.sort_keys`: whether the members of objects are shown by name.
    var sortsKeys = false
    /// `xml.format`: whether XML is broken into lines.
    var formatsXML = true
    /// `xml.indent`: spaces a level.
    var xmlIndentation = 2

    /// Takes over the options of a list: `json.indent:2,headers.sort:true`.
    ///
    /// - Throws: `CommandFault` for one that there is not, or a value that it can't have.
    mutating func take(_ list: String) throws(CommandFault) {
        for option in list.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = option.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else {
                throw CommandFault("--format-options has '\(option)', which is no option:value like json.indent:2")
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
                --format-options knows headers.sort, json.format, json.indent, json.sort_keys, xml.format and \
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
