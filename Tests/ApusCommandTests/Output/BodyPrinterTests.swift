import Testing

@testable import ApusCommand

@Suite struct BodyPrinterTests {
    private func style(
        _ pretty: OutputStyle.Pretty? = nil,
        isTerminal: Bool = false,
        streams: Bool = false
    ) -> OutputStyle {
        OutputStyle(pretty: pretty, isTerminal: isTerminal, allowsColor: false, streams: streams)
    }

    private func shown(_ pieces: [[UInt8]], _ contentType: String?, _ style: OutputStyle) -> [[UInt8]] {
        var printer = BodyPrinter(contentType: contentType, style: style)
        var output: [[UInt8]] = []
        for piece in pieces {
            var shown: [UInt8] = []
            let wantsMore = piece.withUnsafeBytes { printer.append($0, to: &shown) }
            output.append(shown)
            if !wantsMore { return output }
        }
        var shown: [UInt8] = []
        printer.finish(into: &shown)
        return output + [shown]
    }

    private func text(_ pieces: [String], _ contentType: String?, _ style: OutputStyle) -> [String] {
        shown(pieces.map { Array($0.utf8) }, contentType, style).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func writesEveryByteToAPipe() {
        let bytes: [UInt8] = [0, 0x1B, 0x5B, 0x9B, 0xFF, 0x0D]
        #expect(shown([bytes, bytes], "application/json", style()) == [bytes, bytes, []])
    }

    @Test func waitsForCompleteJSON() {
        #expect(
            text(["{\"a\"", ":1}\n"], "application/json", style(isTerminal: true)) == ["", "", "{\n    \"a\": 1\n}\n"]
        )
        #expect(text(["{\"a\":1}"], "text/plain", style(isTerminal: true)) == ["", "{\n    \"a\": 1\n}"])
        #expect(text(["{\"a\":1}"], "application/problem+json", style(.format)) == ["", "{\n    \"a\": 1\n}"])
    }

    @Test func formatsJSONAfterAByteOrderMarkOrAGuard() {
        let style = style(isTerminal: true)
        #expect(text(["\u{FEFF}{\"a\":1}"], "application/json", style) == ["", "{\n    \"a\": 1\n}"])
        #expect(text([")]}',\n{\"a\":1}"], "application/json", style) == ["", ")]}',\n{\n    \"a\": 1\n}"])
        let wide: [UInt8] = [0xFE, 0xFF] + "[1]".utf8.flatMap { [0, $0] }
        let shown = shown([wide], "application/json; charset=utf-16", style).joined()
        #expect(String(decoding: shown, as: UTF8.self) == "[\n    1\n]")
    }

    @Test func escapesControlsInInvalidJSON() {
        #expect(text(["{oops \u{1B}[2J"], "application/json", style(isTerminal: true)) == ["", #"{oops \u001b[2J"#])
    }

    @Test func printsOtherTextImmediately() {
        #expect(text(["<p>\u{1B}", "</p>"], "text/html", style(isTerminal: true)) == [#"<p>\u001b"#, "</p>", ""])
    }

    @Test func escapesControlsWithoutFormatting() {
        #expect(
            text(["{\"a\":\u{1B}1}"], "application/json", style(.nothing, isTerminal: true)).joined()
                == #"{"a":\u001b1}"#
        )
    }

    @Test func printsStreamsLineByLine() {
        let lines = ["{\"a\":1}\n{\"b\"", ":2}\n"]
        #expect(
            text(lines, "application/x-ndjson", style(isTerminal: true)) == [
                "{\n    \"a\": 1\n}\n", "{\n    \"b\": 2\n}\n", "",
            ]
        )
        #expect(
            text(lines, "application/json", style(isTerminal: true, streams: true))[0] == "{\n    \"a\": 1\n}\n"
        )
        #expect(
            text(["data: x\n\n", "data: y"], "text/event-stream", style(isTerminal: true)).joined()
                == "data: x\n\ndata: y"
        )
    }

    @Test func printsANoteForBinaryData() {
        let shown = shown([[0x89, 0x50, 0, 1], [1, 2, 3]], "image/png", style(isTerminal: true))
        #expect(shown.count == 1)
        #expect(String(decoding: shown.joined(), as: UTF8.self).contains("binary data"))
    }

    @Test func decodesCharsets() {
        let terminal = style(isTerminal: true)
        #expect(
            shown([[0x67, 0x72, 0xFC, 0xDF, 0x65, 0x81]], "text/plain; charset=iso-8859-1", terminal).joined()
                .elementsEqual("grüße\\u0081".utf8)
        )
        #expect(
            shown([[0x93, 0x61, 0x94]], "text/html;charset=\"Windows-1252\"", terminal).joined().elementsEqual(
                "“a”".utf8
            )
        )
        let utf16: [UInt8] = [0x68, 0, 0xE9, 0]
        #expect(shown([utf16], "text/plain; charset=utf-16le", terminal).joined().elementsEqual("hé".utf8))
        // In UTF-16 a line feed has two bytes, and U+0A00 contains one of them.
        let lines: [UInt8] = "a\nb\u{A00}\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let streamed = style(isTerminal: true, streams: true)
        for type in ["text/plain; charset=utf-16le", "application/x-ndjson; charset=UTF-16LE"] {
            #expect(
                shown([Array(lines.prefix(3)), Array(lines.dropFirst(3))], type, streamed).joined().elementsEqual(
                    "a\nb\u{A00}\n".utf8
                )
            )
        }
        let wide: [UInt8] = "a\nb".unicodeScalars.flatMap { [0, 0, 0, UInt8($0.value)] }
        #expect(shown([wide], "text/plain; charset=utf-32be", streamed).joined().elementsEqual("a\nb".utf8))
        #expect(shown([[0x61]], "text/plain; charset=klingon", terminal).joined().elementsEqual("a".utf8))
    }

    @Test(
        arguments: [
            ("gbk", [0xC4, 0xE3, 0xBA, 0xC3, 0xCA, 0xC0, 0xBD, 0xE7], "你好世界"),
            ("big5", [0xA7, 0x41, 0xA6, 0x6E], "你好"),
            ("euc-kr", [0xBE, 0xC8, 0xB3, 0xE7], "안녕"), ("KOI8-R", [0xD0, 0xD2, 0xC9], "при"),
            ("iso-8859-15", [0xA4], "€"), ("cp1251", [0xEF, 0xF0, 0xE8], "при"), ("sjis", [0x93, 0xFA], "日"),
            ("euc-jp", [0xC6, 0xFC], "日"), ("unicode", [0xE9, 0], "é"),
            // Invalid bytes are shown as UTF-8, with replacement characters.
            ("gbk", [0x61, 0xC4], "a\u{FFFD}"), ("klingon", [0xE9], "\u{FFFD}"), ("iso-2022-kr", [0xE9], "\u{FFFD}"),
        ] as [(String, [UInt8], String)]
    )
    func decodesTextByItsLabel(label: String, bytes: [UInt8], text: String) {
        let terminal = style(isTerminal: true)
        #expect(shown([bytes], "text/plain; charset=\(label)", terminal).joined().elementsEqual(text.utf8))
        let json = Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8)
        guard text.utf8.count > 3 || !text.contains("\u{FFFD}"), label != "unicode" else { return }
        let laidOut = shown([json], "application/json; charset=\(label)", terminal).joined()
        #expect(String(decoding: laidOut, as: UTF8.self).contains("\"a\": \"\(text)\"") || text.contains("\u{FFFD}"))
    }

    @Test func formatsXML() {
        let terminal = style(isTerminal: true)
        #expect(text(["<a><b", "/></a>\n"], "application/rss+xml", terminal) == ["", "", "<a>\n  <b/>\n</a>\n"])
        #expect(text(["<a><b></a>"], "text/xml", terminal).joined() == "<a><b></a>")
        // Neither HTML nor streamed lines are formatted.
        #expect(text(["<a><b/></a>"], "text/html", terminal).joined() == "<a><b/></a>")
        #expect(text(["<a><b/></a>"], "text/xml", style(isTerminal: true, streams: true)).joined() == "<a><b/></a>")
    }

    @Test func appliesFormatOptions() throws {
        let shown = { (list: String, content: String, type: String) throws -> String in
            var options = FormatOptions()
            try options.take(list)
            let style = OutputStyle(
                pretty: .format,
                isTerminal: false,
                allowsColor: false,
                streams: false,
                options: options
            )
            return text([content], type, style).joined()
        }
        #expect(try shown("json.indent:1", #"{"b":1,"a":2}"#, "application/json") == "{\n \"b\": 1,\n \"a\": 2\n}")
        #expect(try shown("json.sort_keys:true", #"{"b":1,"a":2}"#, "") == "{\n    \"a\": 2,\n    \"b\": 1\n}")
        #expect(try shown("json.format:false", #"{"b":1,"a":2}"#, "") == #"{"b":1,"a":2}"#)
        #expect(try shown("json.format:false,json.sort_keys:true", #"{"b":1,"a":2}"#, "") == #"{"a":2,"b":1}"#)
        #expect(try shown("xml.indent:1", "<a><b/></a>", "text/xml") == "<a>\n <b/>\n</a>")
        #expect(try shown("xml.format:false", "<a><b/></a>", "text/xml") == "<a><b/></a>")
    }

    @Test func appliesContentOverrides() {
        let shown = { (bytes: [UInt8], type: String?, override: ContentOverride) -> String in
            var printer = BodyPrinter(contentType: type, style: style(isTerminal: true), override: override)
            var output: [UInt8] = []
            _ = bytes.withUnsafeBytes { printer.append($0, to: &output) }
            printer.finish(into: &output)
            return String(decoding: output, as: UTF8.self)
        }
        var xml = ContentOverride()
        xml.mediaType = "text/xml"
        #expect(shown(Array("<a><b/></a>".utf8), "text/plain", xml) == "<a>\n  <b/>\n</a>")
        var latin = ContentOverride()
        latin.charset = "iso-8859-1"
        #expect(shown([0xE9, 0x81], "text/plain; charset=utf-8", latin) == "é\\u0081")
        #expect(shown([0xE9], nil, latin) == "é")
    }

    @Test func limitsBufferedBytes() {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let output = shown(Array(repeating: piece, count: 12), "application/json", style(isTerminal: true))
        #expect(output.map(\.count).reduce(0, +) == 12 << 20)
        #expect(output[10].count == 11 << 20)
        #expect(output[11].count == 1 << 20)
    }
}
