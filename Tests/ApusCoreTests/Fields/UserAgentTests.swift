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

    @Test func namesAProductAndItsVersion() throws {
        let current = UserAgent.current.fieldValue
        let start = try #require(current.firstIndex(of: " "))
        let system = current[start...]
        #expect(try UserAgent(product: "MyApp", version: "1.2").fieldValue == "MyApp/1.2\(system)")
        #expect(try UserAgent(product: "a!#$%&'*+-.^_`|~9").fieldValue == "a!#$%&'*+-.^_`|~9\(system)")
    }

    /// The longest product and version have 64 bytes.
    @Test(arguments: ["", "My App", "a/b", "(a)", "a\r\nX: y", "a\u{0}", "é", String(repeating: "x", count: 65)])
    func rejectsATextThatIsNoToken(text: String) throws {
        let product = #expect(throws: ApusError.self) { try UserAgent(product: text) }
        let version = #expect(throws: ApusError.self) { try UserAgent(product: "a", version: text) }
        for fault in [product, version] {
            #expect(fault?.code == .invalidField)
            #expect(fault?.detail.contains("of the User-Agent is no token") == true)
        }
        let longest = String(repeating: "x", count: UserAgent.longestPart)
        #expect(try UserAgent(product: longest, version: longest).fieldValue.hasPrefix("\(longest)/\(longest) "))
    }

    /// Parity: AF-headers-user-agent
    @Test func describesThisProgram() {
        let value = UserAgent.current.fieldValue
        #expect(value.hasSuffix(") \(Self.library)"))
        #expect(!value.hasPrefix("Unknown"))
        #expect(HTTPField(name: .userAgent, value: value).value == value)
    }
}
