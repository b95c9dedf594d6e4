internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct UserAgentTests {
    private static let library = "Apus/\(ApusVersion.current)"

    static let agents: [(UserAgent, String)] = [
        (.init(executable: "tool", version: nil, platform: []), "tool \(library)"),
        (
            .init(executable: "tool", version: "1.2", platform: ["Linux", "Debian 12"]),
            "tool/1.2 (Linux; Debian 12) \(library)"
        ),
        (.init(executable: "My Tool", version: "1 2", platform: [""]), "My-Tool/1-2 \(library)"),
        (.init(executable: "", version: "1", platform: []), "Unknown/1 \(library)"),
        (.init(executable: "日本", version: "日", platform: ["日"]), "Unknown \(library)"),
        (.init(executable: "Müller", version: nil, platform: ["Übung (a); \\b"]), "Muller (bung a b) \(library)"),
        (.init(executable: "a/b(c)\r\nX: y", version: "\n", platform: ["\r\nX: y"]), "a-b-c---X--y (X: y) \(library)"),
        (
            .init(executable: "a\u{0}", version: nil, platform: ["Debian GNU/Linux 12 (bookworm)"]),
            "a- (Debian GNU/Linux 12 bookworm) \(library)"
        ),
    ]

    /// Parity: AF-headers-user-agent, AFN-request-user-agent
    @Test(arguments: agents.indices)
    func namesProgramSystemAndLibrary(index: Int) {
        #expect(Self.agents[index].0.fieldValue == Self.agents[index].1)
    }

    @Test func staysShort() {
        let long = String(repeating: "x", count: 100_000)
        let value = UserAgent(executable: long, version: long, platform: [long]).fieldValue
        #expect(value.utf8.count < 250)
    }

    /// Parity: AF-headers-user-agent
    @Test func describesThisProgram() {
        let value = UserAgent.current.fieldValue
        #expect(value.hasSuffix(") \(Self.library)"))
        #expect(!value.hasPrefix("Unknown"))
        #expect(HTTPField(name: .userAgent, value: value).value == value)
    }
}
