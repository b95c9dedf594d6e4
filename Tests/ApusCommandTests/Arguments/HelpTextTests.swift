import Foundation
import Testing

@testable import ApusCommand

@Suite struct HelpTextTests {
    private var fixture: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/help.txt")
    }

    @Test func equalsTheFixture() throws {
        #expect(HelpText.text == (try String(contentsOf: fixture, encoding: .utf8)))
    }

    @Test func fitsEightyColumns() {
        for line in HelpText.text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func listsEachFlagOnce() {
        for flag in Flag.sections.flatMap(\.flags) {
            let lines = HelpText.text.split(separator: "\n").filter { line in
                let words = line.split(separator: " ")
                return line.hasPrefix("  -") && words.prefix(2).contains("--\(flag.name)")
            }
            #expect(lines.count == 1, "\(flag.name)")
        }
    }

    /// A default named in the help equals the value without the flag.
    @Test func namesTheDefaults() throws {
        let flags = Flag.sections.flatMap(\.flags).filter { $0.help.contains("(default: ") }
        #expect(flags.count == 4)
        for flag in flags {
            let value = try #require(flag.help.firstMatch(of: /\(default: ([^)]+)\)/)?.output.1)
            guard case .invocation(let plain) = try Invocation.read(["h"]),
                case .invocation(let same) = try Invocation.read(["h", "--\(flag.name)=\(value)"])
            else {
                Issue.record("a text was shown instead")
                return
            }
            #expect(plain == same, "\(flag.name)")
        }
    }

    @Test func hasValidExamples() throws {
        let lines = HelpText.text.split(separator: "\n").filter { $0.hasPrefix("  apus ") }
        #expect(lines.count >= 8)
        for line in lines {
            // The command ends at the two spaces before the explanation, or at a redirection of the output.
            let command = line.dropFirst(7).prefix { $0 != "|" && $0 != ">" }.components(separatedBy: "  ")[0]
            let arguments = command.split(separator: " ").map(String.init)
            if case .text = try Invocation.read(arguments) { Issue.record("'\(line)' shows a text") }
        }
    }

    @Test func isPrintedToStandardOutput() async {
        let help = await CommandRunner().run("--help")
        #expect(help.exitCode == .success)
        #expect(help.output.text == HelpText.text)
        #expect(help.error.bytes.isEmpty)
        let version = await CommandRunner().run("--version")
        #expect(version.output.text == "apus \(Command.version)\n")
    }

    @Test(arguments: CompletionScript.Shell.allCases) func completesShells(shell: CompletionScript.Shell) async {
        let script = await CommandRunner().run("--generate-completion-script", shell.rawValue)
        #expect(script.exitCode == .success)
        for flag in Flag.sections.flatMap(\.flags) {
            #expect(script.output.text.contains((shell == .fish ? "-l " : "--") + flag.name), "\(flag.name)")
        }
        #expect(script.output.text.contains("basic digest bearer"))
    }

    @Test func rejectsUnknownShells() async {
        let run = await CommandRunner().run("--generate-completion-script=tcsh")
        #expect(run.exitCode == .failure && run.hasOneSentence)
        #expect(run.error.text.contains("bash, zsh, fish"))
    }
}
