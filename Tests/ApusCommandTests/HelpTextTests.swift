import Foundation
import Testing

@testable import ApusCommand

@Suite struct HelpTextTests {
    private var fixture: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/help.txt")
    }

    @Test func isWhatTheFixtureSays() throws {
        #expect(HelpText.text == (try String(contentsOf: fixture, encoding: .utf8)))
    }

    @Test func fitsEightyColumns() {
        for line in HelpText.text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    /// An empty value is told from none by a list of its own.
    @Test func showsTheFlagsThatTakeAValue() {
        let shown = HelpText.text.matches(of: /(--[a-z-]+) </).map { String($0.output.1) }
        #expect(!shown.isEmpty && Set(shown) == Set(Options.takingValues.map(String.init)))
    }

    @Test func itsExamplesAreWhatTheySayTheyAre() throws {
        let lines = HelpText.text.split(separator: "\n").filter { $0.hasPrefix("  apus ") }
        #expect(lines.count >= 8)
        for line in lines {
            // Up to the two spaces ahead of the explanation, or to where the output goes.
            let command = line.dropFirst(7).prefix { $0 != "|" && $0 != ">" }.components(separatedBy: "  ")[0]
            let arguments = command.split(separator: " ").map(String.init)
            if case .text = try Invocation.read(arguments) { Issue.record("'\(line)' shows a text") }
        }
    }

    @Test func goesToStandardOutput() async {
        let help = await CommandRunner().run("--help")
        #expect(help.exitCode == .success)
        #expect(help.output.text == HelpText.text)
        #expect(help.error.bytes.isEmpty)
        let version = await CommandRunner().run("--version")
        #expect(version.output.text == "apus \(Command.version)\n")
    }

    @Test func completesShells() async {
        let script = await CommandRunner().run("--generate-completion-script", "bash")
        #expect(script.exitCode == .success)
        #expect(script.output.text.contains("--max-redirects"))
    }
}
