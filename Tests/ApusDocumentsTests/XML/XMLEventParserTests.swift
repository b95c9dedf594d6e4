internal import ApusCore
internal import ApusDocuments
internal import Foundation
internal import Testing

@Suite struct XMLEventParserTests {
    private func events(_ document: String) throws -> [XMLEvent] {
        var parser = try XMLEventParser(Data(document.utf8))
        var events: [XMLEvent] = []
        try parser.parse { events.append($0) }
        return events
    }

    private func failure(_ document: String, limits: XMLLimits = XMLLimits()) -> String? {
        let error = #expect(throws: ApusError.self, "\(document)") {
            var parser = try XMLEventParser(Data(document.utf8), limits: limits)
            try parser.parse { _ in }
        }
        #expect(error?.code == .decodingFailed)
        return error?.detail
    }

    @Test func reportsThePositionOfEachEvent() throws {
        let document = "\u{FEFF} <!--1-->\r\n<a b='&lt;'>x&#10;y<c/><![CDATA[]]></a ><?p q?>\n"
        var parser = try XMLEventParser(
            Data(document.utf8),
            charset: nil,
            limits: XMLLimits(),
            keepsReturns: true
        )
        var pieces: [String] = []
        while try parser.next() != nil { pieces.append(String(decoding: parser.document[parser.range], as: UTF8.self)) }
        #expect(
            pieces == [" <!--1-->", "\r\n<a b='&lt;'>", "x&#10;y", "<c/>", "", "<![CDATA[]]>", "</a >", "<?p q?>"]
        )
        #expect(String(decoding: parser.document, as: UTF8.self) == String(document.dropFirst()))
    }

    @Test func reportsAllEventsInOrder() throws {
        let document = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <!DOCTYPE feed PUBLIC "-//X//Y" "feed.dtd">
            <!-- before -->
            <?style href="a.css"?>
            <feed b="2" a='1'>text<![CDATA[<raw>]]><empty/><!--in--></feed>
            <?after?>
            """
        #expect(
            try events(document) == [
                .declaration(XMLDeclaration(version: "1.0", encoding: "UTF-8", isStandalone: true)),
                .documentType(XMLDocumentType(name: "feed", publicID: "-//X//Y", systemID: "feed.dtd")),
                .comment(" before "),
                .processingInstruction(target: "style", data: "href=\"a.css\""),
                .startElement("feed", attributes: [XMLAttribute("b", "2"), XMLAttribute("a", "1")]),
                .text("text"),
                .cdata("<raw>"),
                .startElement("empty", attributes: []),
                .endElement("empty"),
                .comment("in"),
                .endElement("feed"),
                .processingInstruction(target: "after", data: nil),
            ]
        )
    }

    @Test(arguments: [
        ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"), ("&#65;&#x42;&#x1F600;", "AB😀"), ("&#0000000065;", "A"),
        ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("&#13;&#10;", "\r\n"), ("]] >", "]] >"), ("ü€😀", "ü€😀"), (">", ">"),
    ])
    func readsText(written: String, meant: String) throws {
        #expect(try events("<a>\(written)</a>")[1] == .text(meant))
    }

    @Test(arguments: [
        ("a\tb\nc\r\nd", "a b c d"), ("&#9;&#10;&#13;", "\t\n\r"), ("'&quot;&lt;", "'\"<"), ("", ""), (" > ", " > "),
    ])
    func readsAttributes(written: String, meant: String) throws {
        let attributes = [XMLAttribute("b", meant)]
        #expect(try events("<a b = \"\(written)\" />").first == .startElement("a", attributes: attributes))
    }

    @Test func keepsTheOrderOfManyAttributes() throws {
        let names = (0..<100).map { "a\($0 * 37 % 100)" }
        let document = "<x \(names.map { "\($0)='v'" }.joined(separator: " "))/>"
        #expect(
            try events(document).first == .startElement("x", attributes: names.map { XMLAttribute(XMLName($0), "v") })
        )
    }

    @Test func resolvesNamespacesInTheirScope() throws {
        let document = """
            <a xmlns="urn:a" xmlns:p="urn:p" p:x="1" y="2"><p:b xmlns:p="urn:q"/><p:c/><d xmlns=""/><q:e/><xml:f/></a>
            """
        let names = try events(document).compactMap { event in
            if case .startElement(let name, _) = event { name } else { nil }
        }
        #expect(
            names == [
                XMLName("a", namespace: "urn:a"), XMLName("p:b", namespace: "urn:q"),
                XMLName("p:c", namespace: "urn:p"), XMLName("d"), XMLName("q:e"),
                XMLName("xml:f", namespace: "http://www.w3.org/XML/1998/namespace"),
            ]
        )
        guard case .startElement(_, let attributes) = try events(document)[0] else { return }
        let declarations = "http://www.w3.org/2000/xmlns/"
        #expect(
            attributes.map(\.name) == [
                XMLName("xmlns", namespace: declarations), XMLName("xmlns:p", namespace: declarations),
                XMLName("p:x", namespace: "urn:p"), XMLName("y"),
            ]
        )
    }

    // MARK: Malformed documents

    static let malformed: [(String, String)] = [
        ("", "line 1, column 1: there is no element"),
        (" \n ", "line 2, column 2: there is no element"),
        ("text", "line 1, column 1: there is text where an element is expected"),
        ("<a>", "line 1, column 4: the element 'a' is not closed"),
        ("<a>\n <b></c></a>", "line 2, column 5: the element 'b' is closed by an end tag of 'c'"),
        ("<ü></ü ></ü>", "line 1, column 9: there is content after the end of the root element"),
        ("<a/><b/>", "line 1, column 5: there is content after the end of the root element"),
        ("<a/>text", "line 1, column 5: there is content after the end of the root element"),
        ("</a>", "line 1, column 2: the name of an element is missing"),
        ("<a b/>", "line 1, column 5: an attribute has no value"),
        ("<a b=1/>", "line 1, column 6: the value of an attribute is not in quotation marks"),
        ("<a b='1'c='2'/>", "line 1, column 9: there is no space before an attribute"),
        ("<a b='1' b='2'/>", "line 1, column 1: an element has the attribute 'b' twice"),
        ("<a b='<'/>", "line 1, column 7: there is a '<' in the value of an attribute"),
        ("<a b='", "line 1, column 6: the value of an attribute is not closed"),
        ("<a b", "line 1, column 5: an attribute has no value"),
        ("<a /b>", "line 1, column 4: there is a '/' inside a tag"),
        ("<a", "line 1, column 3: a tag is not closed"),
        ("<1/>", "line 1, column 2: the name of an element is missing"),
        ("<a>]]></a>", "line 1, column 4: there is ']]>' outside a CDATA section"),
        ("<a><![CDATA[x</a>", "line 1, column 13: a CDATA section is not closed"),
        ("<![CDATA[x]]><a/>", "line 1, column 2: the name of an element is missing"),
        ("<a><!-- -- --></a>", "line 1, column 11: there is '--' inside a comment"),
        ("<a><!-- --", "line 1, column 11: there is '--' inside a comment"),
        ("<a><!-- ", "line 1, column 8: a comment is not closed"),
        ("<a><?b", "line 1, column 7: there is no space after the target of an instruction"),
        ("<a><?b c></a>", "line 1, column 8: a processing instruction is not closed"),
        ("<a>&amp</a>", "line 1, column 4: a reference does not end with ';'"),
        ("<a>& b</a>", "line 1, column 5: the name of an entity is missing"),
        ("<a>&#0;</a>", "line 1, column 4: a reference names a character that XML does not allow"),
        ("<a>&#xD800;</a>", "line 1, column 4: a reference names a character that XML does not allow"),
        ("<a>&#x110000;</a>", "line 1, column 4: a reference names a character that XML does not allow"),
        ("<a>&#99999999999999999999;</a>", "line 1, column 4: a reference names a character that XML does not allow"),
        ("<a>&#;</a>", "line 1, column 4: a reference names a character that XML does not allow"),
        (" <?xml version='1.0'?><a/>", "line 1, column 2: the XML declaration can only be at the very beginning"),
        ("<?xml version='2.0'?><a/>", "line 1, column 20: the version of the XML is not 1.0"),
        ("<?xml encoding='UTF-8'?><a/>", "line 1, column 6: the XML declaration does not begin with the version"),
        ("<?xml version='1.0' standalone='maybe'?><a/>", "line 1, column 39: 'standalone' is neither yes nor no"),
        ("<?xml version='1.0' charset='x'?><a/>", "line 1, column 21: the XML declaration has unexpected content"),
        ("<!DOCTYPE a><!DOCTYPE a><a/>", "line 1, column 14: the name of an element is missing"),
        ("<a/><!DOCTYPE a>", "line 1, column 5: there is content after the end of the root element"),
        ("<!DOCTYPE a SYSTEM><a/>", "line 1, column 19: there is no space before the system identifier"),
        ("<!DOCTYPE a [ oops ]><a/>", "line 1, column 15: this is not a declaration"),
        ("<!DOCTYPE a [", "line 1, column 14: the document type is not closed"),
        ("<a>\u{1}</a>", "line 1, column 4: it has the control character 1"),
        ("<a>\u{FFFE}</a>", "line 1, column 4: it has the character U+FFFE"),
    ]

    @Test(arguments: malformed)
    func reportsMalformedInputAndItsPosition(document: String, complaint: String) throws {
        let detail = try #require(failure(document))
        #expect(detail.hasPrefix("the XML is not well-formed at \(complaint)"), "\(detail)")
    }

    /// With a document type elsewhere, which is not read, the document may be well-formed.
    @Test func rejectsUnknownEntities() {
        let complaint = "the entity 'nbsp' is unknown; only amp, lt, gt, quot and apos are supported"
        #expect(failure("<a>&nbsp;</a>") == "the XML is not supported at line 1, column 4: \(complaint)")
    }

    @Test func rejectsAnAttributeWithTwoPrefixesOfOneNamespace() throws {
        let detail = failure("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>")
        #expect(try #require(detail).hasSuffix("an element has the attribute 'q:x' twice"))
    }

    @Test func cutsLongNamesInErrors() throws {
        let detail = try #require(failure("<a>&\(String(repeating: "n", count: 5000));</a>"))
        #expect(detail.count < 200)
        let marks = String(repeating: "\u{301}", count: 5000)
        #expect(try #require(failure("<a\(marks)></b>")).unicodeScalars.count < 200)
    }

    // MARK: Canonically equivalent names

    /// Expat accepts them too. Names are equal only if their Unicode scalars are.
    @Test(arguments: ["", " xmlns:p='u'", (0..<9).map { " a\($0)='x'" }.joined()])
    func distinguishesEquivalentNames(others: String) throws {
        let document = "<a e\u{301}='1' \u{E9}='2'\(others)/>"
        guard case .startElement(_, let attributes) = try events(document)[0] else { return }
        #expect(attributes.prefix(2).map(\.value) == ["1", "2"])
        let root = try XMLTree(Data(document.utf8)).root
        #expect(root.attribute("e\u{301}") == "1" && root.attribute("\u{E9}") == "2")
        for name in ["e\u{301}", "\u{E9}"] {
            let detail = try #require(failure("<a \(name)='1' \(name)='2'\(others)/>"))
            #expect(detail.hasSuffix("twice"))
        }
    }

    @Test func distinguishesEquivalentElementsAndPrefixes() throws {
        let document = """
            <r xmlns:e\u{301}='one' xmlns:\u{E9}='two'><e\u{301}>1</e\u{301}><\u{E9}>2</\u{E9}>\
            <e\u{301}:x/><\u{E9}:x e\u{301}:y='3' \u{E9}:y='4'/></r>
            """
        let root = try XMLTree(Data(document.utf8)).root
        #expect(root["e\u{301}"]?.text == "1" && root["\u{E9}"]?.text == "2")
        #expect(root.elements(named: "\u{E9}").count == 1)
        #expect(root.elements(named: "x", in: "one").count == 1 && root.elements(named: "x", in: "two").count == 1)
        let last = try #require(root.elements.last)
        #expect(last.attribute("y", in: "one") == "3" && last.attribute("y", in: "two") == "4")
        #expect(failure("<e\u{301}></\u{E9}>") != nil)
        let names: Set<XMLName> = [
            "e\u{301}", "\u{E9}", XMLName("x", namespace: "e\u{301}"), XMLName("x", namespace: "\u{E9}"),
        ]
        #expect(names.count == 4 && names.contains("\u{E9}") && !names.contains("x"))
    }

    // MARK: Pulling events

    @Test func canStopEarly() throws {
        var parser = try XMLEventParser(Data("<a><b/> & not XML at all".utf8))
        #expect(try parser.next() == .startElement("a", attributes: []))
        #expect(parser.depth == 1)
    }

    @Test func repeatsItsError() throws {
        var parser = try XMLEventParser(Data("<a>&x;".utf8))
        #expect(try parser.next() == .startElement("a", attributes: []))
        for _ in 0..<3 {
            let error = #expect(throws: ApusError.self) { try parser.next() }
            #expect(try #require(error).detail.contains("the entity 'x' is unknown"))
        }
    }

    @Test func returnsNilAfterTheEnd() throws {
        var parser = try XMLEventParser(Data("<a/>".utf8))
        try parser.parse { _ in }
        #expect(try parser.next() == nil)
        #expect(try parser.next() == nil)
    }

    @Test func rethrowsErrorsOfTheHandler() throws {
        struct Enough: Error {}
        var parser = try XMLEventParser(Data("<a><b/></a>".utf8))
        #expect(throws: Enough.self) {
            try parser.parse { event in if case .endElement = event { throw Enough() } }
        }
        #expect(try parser.next() == .endElement("a"))
    }

    @Test func reportsItsPosition() throws {
        var parser = try XMLEventParser(Data("<a>\r\n  <ü/>\n</a>".utf8))
        var positions: [String] = [parser.position.description]
        while try parser.next() != nil { positions.append("\(parser.position.line):\(parser.position.column)") }
        #expect(positions == ["line 1, column 1", "1:4", "2:3", "2:7", "2:7", "3:1", "3:5"])
    }
}
