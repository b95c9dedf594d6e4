internal import ApusCore
internal import FoundationEssentials

/// Writes property lists as XML.
struct XMLPropertyListWriter {
    private var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    static func text(of value: PropertyListValue) throws(ApusError) -> String {
        var writer = XMLPropertyListWriter()
        try writer.write(value, indent: "")
        return writer.text + "</plist>\n"
    }

    private mutating func write(_ value: PropertyListValue, indent: String) throws(ApusError) {
        switch value {
        case .string(let string): write("string", try escaped(string), indent)
        case .data(let data): write("data", data.base64EncodedString(), indent)
        case .date(let date):
            guard let date = PropertyListDate.text(date) else { throw PropertyListValue.noDate }
            write("date", date, indent)
        case .integer(let integer):
            guard integer >= Int128(Int64.min), integer <= Int128(UInt64.max) else { throw PropertyListValue.noInteger }
            write("integer", "\(integer)", indent)
        case .real(let real): write("real", "\(real)", indent)
        case .boolean(let boolean): text += "\(indent)<\(boolean)/>\n"
        case .array(let array):
            text += "\(indent)<array>\n"
            for value in array { try write(value, indent: indent + "\t") }
            text += "\(indent)</array>\n"
        case .dictionary(let dictionary):
            text += "\(indent)<dict>\n"
            for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
                write("key", try escaped(name), indent + "\t")
                try write(value, indent: indent + "\t")
            }
            text += "\(indent)</dict>\n"
        }
    }

    private mutating func write(_ name: StaticString, _ content: String, _ indent: String) {
        text += "\(indent)<\(name)>\(content)</\(name)>\n"
    }

    private func escaped(_ string: String) throws(ApusError) -> String {
        guard string.unicodeScalars.allSatisfy({ XMLCharacters.isAllowed($0.value) }) else {
            throw ApusError(
                .parameterEncodingFailed,
                "a string of the property list has a character that XML does not allow; write the binary format"
            )
        }
        return XMLWriter.escape(string, inAttribute: false)
    }
}
