/// Formats or colors complete text.
enum ContentFormatter {
    case json(JSONFormatter)
    case xml(XMLFormatter)

    /// - Parameters:
    ///   - description: The type of the body.
    ///   - style: The style of the output. The result is `nil` if it has neither colors nor formatting.
    ///   - isLineByLine: Whether each line is shown by itself, which rules out XML.
    init?(_ description: ContentDescription, style: OutputStyle, isLineByLine: Bool) {
        let options = style.options
        if description.isXML, !isLineByLine {
            let isLaidOut = style.formats && options.formatsXML
            guard isLaidOut || style.palette.isColored else { return nil }
            self = .xml(
                XMLFormatter(
                    indentation: options.xmlIndentation,
                    palette: style.palette,
                    isLaidOut: isLaidOut,
                    isUTF8: description.charset != nil
                )
            )
        } else if description.mayBeJSON {
            let isLaidOut = style.formats && options.formatsJSON
            let sortsKeys = style.formats && options.sortsKeys
            guard isLaidOut || sortsKeys || style.palette.isColored else { return nil }
            self = .json(
                JSONFormatter(
                    indentation: options.jsonIndentation,
                    palette: style.palette,
                    isLaidOut: isLaidOut,
                    sortsKeys: sortsKeys
                )
            )
        } else {
            return nil
        }
    }

    /// Whether lines are broken and indented.
    var isLaidOut: Bool {
        switch self {
        case .json(let formatter): formatter.isLaidOut
        case .xml(let formatter): formatter.isLaidOut
        }
    }

    /// Returns the formatted text, or `nil` if the text must be shown as it is.
    func format(_ text: [UInt8]) -> [UInt8]? {
        switch self {
        case .json(let formatter): formatter.format(text)
        case .xml(let formatter): formatter.format(text)
        }
    }
}
