internal import Apus
internal import Testing

@testable internal import ApusCookies

@Suite struct PublicSuffixListTests {
    private let list = PublicSuffixList.embedded

    /// A name as the list gives it out: in punycode.
    private func encoded(_ domain: String) throws -> String {
        domain.utf8.allSatisfy { $0 < 0x80 } ? domain : try TargetURI("http://\(domain)/").origin.host
    }

    @Test(arguments: PublicSuffixVectors.all)
    func saysWhatTheVectorsOfTheListSay(domain: String, registrable: String?) throws {
        #expect(list.registrableDomain(of: domain) == (try registrable.map(encoded)))
    }

    @Test(arguments: [
        ("com", true), ("COM", true), ("co.uk", true), ("uk", true), ("github.io", true), ("example.com", false),
        ("unheard-of", true),
        ("a.unheard-of", false), ("ck", true), ("a.ck", true), ("www.ck", false), ("a.www.ck", false),
        ("kobe.jp", false), ("a.kobe.jp", true),
        ("city.kobe.jp", false), ("com.", true), ("example.com.", false), ("xn--55qx5d.cn", true), ("公司.cn", true),
        ("localhost", true),
        // What is a name on the way to rules, and no rule itself.
        ("compute.amazonaws.com", false), ("us-east-1.elasticbeanstalk.com", true),
        // No names of hosts.
        ("", false), (".", false), ("..", false), (".com", false), ("a..com", false), ("127.0.0.1", false),
        ("1", false), ("::1", false), ("a/b", false),
        ("com ", false), ("com/", false), ("a@com", false), ("com:80", false), ("\n", false),
    ])
    func knowsAPublicSuffix(domain: String, isPublic: Bool) {
        #expect(list.isPublicSuffix(domain) == isPublic)
    }

    @Test func keepsTheDotAtTheEnd() {
        #expect(list.registrableDomain(of: "www.example.com.") == "example.com.")
    }

    @Test(arguments: ["127.0.0.1", "::1", "", "a..b", "com", "..", "0x7f.1", "a b"])
    func findsNothingRegistered(domain: String) {
        #expect(list.registrableDomain(of: domain) == nil)
    }

    @Test func isSoonDoneWithLongNames() {
        let name = String(repeating: "a.", count: 100_000) + "kobe.jp"
        #expect(list.registrableDomain(of: name) == "a.a.kobe.jp")
    }

    @Test func saysHowOldItIs() {
        #expect(list.version.hasPrefix("20"))
        #expect(PublicSuffixList.source.rules > 9_000)
    }
}
