import Apus
import ApusPlatform
import Dispatch
import Foundation
import Testing

@testable import ApusCommand

/// The prompt on a pseudo-terminal. Serialized, because `ttyname` returns a shared buffer.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PasswordPromptTests {
    /// The result of a prompt: the typed text, the shown text, and whether the terminal's settings were restored.
    private struct Outcome {
        let answer: String?
        let shown: String
        let isRestored: Bool
    }

    /// Prompts on a new terminal, and types `keys` as soon as the prompt appears.
    private func ask(typing keys: String) throws -> Outcome {
        var keyboard: Int32 = -1
        // Kept open, so that the terminal does not hang up when the prompt closes it.
        var screen: Int32 = -1
        try #require(openpty(&keyboard, &screen, nil, nil, nil) == 0)
        defer { for end in [keyboard, screen] { FileDescriptor.close(end) } }
        let path = String(cString: try #require(ttyname(screen)))
        let before = try flags(of: screen)
        try #require(before & tcflag_t(ECHO | ISIG | ICANON) == tcflag_t(ECHO | ISIG | ICANON))

        let group = DispatchGroup()
        let answer = Lock<String?>(nil)
        DispatchQueue.global().async(group: group) {
            let typed = PasswordPrompt.ask("Password: ", on: path)
            answer.withLock { $0 = typed }
        }
        var shown: [UInt8] = []
        while !shown.suffix(2).elementsEqual(": ".utf8) { shown += try FileDescriptor.read(keyboard, upTo: 100) }
        func type(_ keys: String) throws {
            try Array(keys.utf8).withUnsafeBytes { try FileDescriptor.write($0, to: keyboard) }
        }
        try type(keys)
        if group.wait(timeout: .now() + .seconds(20)) == .timedOut {
            Issue.record("the prompt still waits")
            try type("\n")
            group.wait()
        }
        while shown.last != 0x0A { shown += try FileDescriptor.read(keyboard, upTo: 100) }
        return Outcome(
            answer: answer.withLock { $0 },
            shown: String(decoding: shown, as: UTF8.self),
            isRestored: try flags(of: screen) == before
        )
    }

    private func flags(of terminal: Int32) throws -> tcflag_t {
        var settings = termios()
        try #require(tcgetattr(terminal, &settings) == 0)
        return settings.c_lflag
    }

    @Test(arguments: [("secret\n", "secret"), ("\n", ""), ("grüß\n", "grüß"), ("sex\u{7F}cret\n", "secret")])
    func readsALineWithoutEcho(keys: String, answer: String) throws {
        let outcome = try ask(typing: keys)
        #expect(outcome.answer == answer)
        #expect(outcome.shown == "Password: \r\n")
        #expect(outcome.isRestored)
    }

    /// Ends at once: control-C is not followed by the end of a line.
    @Test(arguments: ["\u{3}", "sec\u{3}", "\u{1C}", "sec\u{1C}"]) func isCancelledByControlC(keys: String) throws {
        let outcome = try ask(typing: keys)
        #expect(outcome.answer == nil)
        #expect(outcome.shown == "Password: \r\n")
        #expect(outcome.isRestored)
    }

    @Test func returnsNilWithoutATerminal() {
        #expect(PasswordPrompt.ask("Password: ", on: "/dev/null") == nil)
        #expect(PasswordPrompt.ask("Password: ", on: "/no/such/terminal") == nil)
    }
}
