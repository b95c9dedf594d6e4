import ApusTestServer
import Testing

@testable import ApusCommand

@Suite struct XMLFormatterTests {
    private func format(_ text: String, _ formatter: XMLFormatter = XMLFormatter()) -> String? {
        formatter.format(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("<a><b/><c>x</c></a>", "<a>\n  <b/>\n  <c>x</c>\n</a>"),
        ("<a>\n\n\t<b>\r\n</b>\n</a>\n", "<a>\n  <b>\n</b>\n</a>"),
        ("<?xml version='1.0'?><a/>", "<?xml version='1.0'?>\n<a/>"),
        ("\u{FEFF}<?xml version='1.0'?><a/>", "<?xml version='1.0'?>\n<a/>"),
        ("<a  b='1'\n   c = \"2\"  ><d\n/></a >", "<a b='1' c=\"2\">\n  <d/>\n</a>"),
        // White space beside text may be significant at any depth.
        ("<p>one <b> two </b> <i><u/></i></p>", "<p>one <b> two </b> <i><u/></i></p>"),
        ("<a><p>x<b> <c/> </b></p><d><e/></d></a>", "<a>\n  <p>x<b> <c/> </b></p>\n  <d>\n    <e/>\n  </d>\n</a>"),
        ("<a xml:space='preserve'> <b/> </a>", "<a xml:space='preserve'> <b/> </a>"),
        ("<a><![CDATA[<x>&]]></a>", "<a><![CDATA[<x>&]]></a>"), ("<a>  </a>", "<a>  </a>"), ("<a></a>", "<a></a>"),
        ("<!-- 1\n 2 --><a><!--3--><?p q?></a><!--4-->", "<!-- 1\n 2 -->\n<a>\n  <!--3-->\n  <?p q?>\n</a>\n<!--4-->"),
        // References are unchanged.
        (
            "<!DOCTYPE a [<!ATTLIST a b CDATA ']>'><!-- ]> --><?p ]>?><!ELEMENT a (b)>]><a>&amp;&#10;&lt;&#xAf;</a>",
            "<!DOCTYPE a [<!ATTLIST a b CDATA ']>'><!-- ]> --><?p ]>?><!ELEMENT a (b)>]>\n<a>&amp;&#10;&lt;&#xAf;</a>"
        ),
        ("<a b = 'x=\"1\" /' c=\"'>\"/>", "<a b='x=\"1\" /' c=\"'>\"/>"),
        (
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD\" 'http://x'><html/>",
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD\" 'http://x'>\n<html/>"
        ),
        ("<größe:x a:b='>'/>", "<größe:x a:b='>'/>"),
    ])
    func formatsXML(text: String, expected: String) throws {
        #expect(format(text) == expected)
        #expect(format(expected) == expected)
    }

    @Test(arguments: [
        "", " ", "text", "<", "<a", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a/>x", "x<a/>", "<a><b></a></b>", "<a b/>",
        "<a b=c/>", "<a b='<'/>", "<a b='1'c='2'/>", "<a b='1' b='2'/>", "<a b='1/>", "<1/>", "<a>&</a>", "<a>&x</a>",
        "<a>&#;</a>", "<a>&#x;</a>", "<a>&#1a;</a>", "<a b='&'/>", "<a>]]></a>", "<!-- -- --><a/>", "<!-- --->",
        "<a><!--",
        "<a><![CDATA[", "<![CDATA[x]]><a/>", "<a/><![CDATA[x]]>", " <?xml version='1.0'?><a/>", "<a><?xml x?></a>",
        "<??><a/>",
        "<?p", "<!DOCTYPE a><!DOCTYPE a><a/>", "<a/><!DOCTYPE a>", "<!DOCTYPE a [<a/>", "<!DOCTYPE a ]><a/>",
        "<!DOCTYPE a [[]]><a/>", "<!DOCTYPE a <b>><a/>", "<!DOCTYPE a '><a/>", "<a>\u{1}</a>", "<a b='\u{1B}'/>",
        "<!--\u{1}--><a/>", "<a/ >", "<a / >", "{\"a\":1}", "<a></a", "<a></a x>", "<!x><a/>",
        // The values of entities are unknown or could be anything.
        "<a>&nbsp;</a>", "<!DOCTYPE a [<!ENTITY x \"y\">]><a/>",
    ])
    func rejectsMalformedXML(text: String) {
        #expect(format(text) == nil)
    }

    @Test func appliesIndentationAndColors() {
        #expect(format("<a><b/></a>", XMLFormatter(indentation: 0)) == "<a>\n<b/>\n</a>")
        #expect(
            format("<a  b = '1'>x<!--c--></a >", XMLFormatter(palette: .colored, isLaidOut: false))
                == "<\u{1B}[1;34ma\u{1B}[0m  \u{1B}[36mb\u{1B}[0m = \u{1B}[32m'1'\u{1B}[0m>x\u{1B}[2m<!--c-->\u{1B}[0m"
                + "</\u{1B}[1;34ma\u{1B}[0m >"
        )
        #expect(format("<a/>", XMLFormatter(palette: .colored)) == "<\u{1B}[1;34ma\u{1B}[0m/>")
    }

    @Test func acceptsADeclaredEncoding() {
        let bytes = Array("<?xml version='1.0' encoding='iso-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        let shown = XMLFormatter(isUTF8: false).format(bytes).map { String(decoding: $0, as: UTF8.self) }
        #expect(shown == "<?xml version='1.0' encoding='iso-8859-1'?>\n<a>é</a>")
        #expect(XMLFormatter().format(bytes) == nil)
        #expect(format("<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>")?.hasSuffix("\n<a>é</a>") == true)
    }

    @Test func escapesControlCharacters() {
        #expect(format("<a b='\u{9B}'>\u{202E}\r</a>") == #"<a b='\u009b'>\u202e\u000d</a>"#)
    }

    @Test func limitsDepthAndOutput() {
        let deep = { (count: Int) in
            String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
        }
        #expect(format(deep(XMLMarkup.depthLimit), XMLFormatter(indentation: 0)) != nil)
        #expect(format(deep(XMLMarkup.depthLimit + 1), XMLFormatter(indentation: 0)) == nil)
        let wide =
            String(repeating: "<a>", count: 900) + String(repeating: "<b/>", count: 100_000)
            + String(repeating: "</a>", count: 900)
        #expect(format(wide, XMLFormatter(indentation: 40)) == nil)
    }

    @Test func isStableOnRandomInput() {
        let pieces = [
            "<", ">", "</", "/>", "a", "b", "=", "'", "\"", "&", ";", "#", "x", "1", " ", "\n", "<!--", "-->", "--",
            "<![CDATA[",
            "]]>", "<?", "?>", "<!DOCTYPE", "[", "]", "é", "<a>", "</a>", "<b/>", "<a b='1'>", "&a;", "\u{1}",
        ]
        var generator = SeededGenerator(seed: 5)
        var formatted = 0
        for round in 0..<20_000 {
            let count = Int.random(in: 1...12, using: &generator)
            var text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            if round.isMultiple(of: 2) { text = "<a>\(text)</a>" }
            guard let once = format(text) else { continue }
            formatted += 1
            #expect(format(once) == once, "\(text)")
            let plain = XMLFormatter(isLaidOut: false)
            #expect(format(text, plain) == text, "\(text)")
        }
        #expect(formatted > 100)
    }
}
