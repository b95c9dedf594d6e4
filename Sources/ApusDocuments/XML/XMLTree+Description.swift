extension XMLTree: CustomStringConvertible {
    /// The document as XML text, to be encoded as UTF-8. A declared encoding is written as UTF-8.
    ///
    /// Parsing the text again gives the same tree. Parts that XML can't represent are replaced: a character by U+FFFD,
    /// or by `_` in a name. A `--` in a comment gets a space between.
    public var description: String {
        var writer = XMLWriter()
        writer.write(self)
        return writer.text
    }
}

extension XMLTree.Element: CustomStringConvertible {
    /// The element as XML.
    public var description: String {
        var writer = XMLWriter()
        writer.write(self)
        return writer.text
    }
}
