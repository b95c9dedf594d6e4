import Testing

@testable import ApusCommand

@Suite struct MessagePrinterTests {
    @Test func separatesMessagesByOneEmptyLine() throws {
        let sink = RecordingSink()
        let style = OutputStyle(pretty: nil, isTerminal: false, allowsColor: false, streams: false)
        var printer = MessagePrinter(OutputChannel(sink), style: style)
        try printer.separate()
        try printer.write(Array("a".utf8))
        try printer.separate()
        try printer.write(Array("b\n".utf8))
        try printer.separate()
        try printer.write(Array("c\r\n\r\n".utf8))
        try printer.separate()
        try printer.write(Array("d\n".utf8))
        try printer.write(Array("\n".utf8))
        try printer.separate()
        try printer.write(Array("e".utf8))
        #expect(sink.text == "a\n\nb\n\nc\r\n\r\nd\n\ne")
    }

    @Test func styleFollowsTheOutput() {
        let style = { (pretty: OutputStyle.Pretty?, isTerminal: Bool, allowsColor: Bool) in
            OutputStyle(pretty: pretty, isTerminal: isTerminal, allowsColor: allowsColor, streams: false)
        }
        #expect(!style(nil, false, true).formats && !style(nil, false, true).isSafe)
        #expect(style(nil, true, true).formats && style(nil, true, true).palette.isColored)
        #expect(style(nil, true, false).formats && !style(nil, true, false).palette.isColored)
        #expect(style(.all, false, false).palette.isColored && style(.all, false, false).isSafe)
        #expect(!style(.nothing, true, true).formats && style(.nothing, true, true).isSafe)
        #expect(style(.colors, false, true).palette.isColored && !style(.colors, false, true).formats)
    }

    @Test func colorFollowsTheEnvironment() {
        let console = { (environment: [String: String]) in
            Console(
                environment: environment,
                output: OutputChannel(RecordingSink()),
                error: OutputChannel(RecordingSink())
            )
        }
        #expect(console([:]).allowsColor)
        #expect(console(["NO_COLOR": ""]).allowsColor)
        #expect(!console(["NO_COLOR": "1"]).allowsColor)
        #expect(!console(["TERM": "dumb"]).allowsColor)
    }
}
