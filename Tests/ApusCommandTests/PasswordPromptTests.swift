import Apus
import Dispatch
import Foundation
import Testing

@testable import ApusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The prompt at a terminal of the test's own. One after the other: the name of a terminal stands in one place for all.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PasswordPromptTests {
    /// What came of a prompt: what was typed, what was shown, and whether the terminal is as it was.
    private struct Outcome {
        let answer: String?
        let shown: String
        let isAsBefore: Bool
    }

    /// Asks at a new terminal, where `keys` are typed as soon as the prompt is there.
    private func ask(typing keys: String) throws -> Outcome {
        var keyboard: Int32 = -1
        // Held open, so that the terminal does not hang up when the prompt is done.
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
            isAsBefore: try flags(of: screen) == before
        )
    }

    private func flags(of terminal: Int32) throws -> tcflag_t {
        var settings = termios()
        try #require(tcgetattr(terminal, &settings) == 0)
        return settings.c_lflag
    }

    @Test(arguments: [("secret\n", "secret"), ("\n", ""), ("grüß\n", "grüß"), ("sex\u{7F}cret\n", "secret")])
    func readsALineWithoutShowingIt(keys: String, answer: String) throws {
        let outcome = try ask(typing: keys)
        #expect(outcome.answer == answer)
        #expect(outcome.shown == "Password: \r\n")
        #expect(outcome.isAsBefore)
    }

    /// At once: nobody ends a line behind control-C.
    @Test(arguments: ["\u{3}", "sec\u{3}", "\u{1C}", "sec\u{1C}"]) func isLeftByControlC(keys: String) throws {
        let outcome = try ask(typing: keys)
        #expect(outcome.answer == nil)
        #expect(outcome.shown == "Password: \r\n")
        #expect(outcome.isAsBefore)
    }

    @Test func asksNobodyWhereThereIsNoTerminal() {
        #expect(PasswordPrompt.ask("Password: ", on: "/dev/null") == nil)
        #expect(PasswordPrompt.ask("Password: ", on: "/no/such/terminal") == nil)
    }
}
