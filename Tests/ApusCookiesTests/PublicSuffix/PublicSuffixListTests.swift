internal import Apus
internal import Testing

@testable internal import ApusCookies

@Suite struct PublicSuffixListTests {
    private let list = PublicSuffixList.embedded

    /// Returns the domain in punycode, as the list does.
    private func encoded(_ domain: String) throws -> String {
        domain.utf8.allSatisfy { $0 < 0x80 } ? domain : try TargetURI("http://\(domain)/").origin.host
    }

    @Test(arguments: PublicSuffixVectors.all)
    func passesTheTestVectorsOfTheList(domain: String, registrable: String?) throws {
        #expect(list.registrableDomain(of: domain) == (try registrable.map(encoded)))
    }

    @Test(arguments: [
        ("com", true), ("COM", true), ("co.uk", true), ("uk", true), ("github.io", true), ("example.com", false),
        ("unheard-of", true),
        ("a.unheard-of", false), ("ck", true), ("a.ck", true), ("www.ck", false), ("a.www.ck", false),
        ("kobe.jp", false), ("a.kobe.jp", true),
        ("city.kobe.jp", false), ("com.", true), ("example.com.", false), ("xn--55qx5d.cn", true), ("公司.cn", true),
        ("localhost", true),
        // Names that have rules below them. Only the second is a rule itself.
        ("compute.amazonaws.com", false), ("us-east-1.elasticbeanstalk.com", true),
        // Not host names.
        ("", false), (".", false), ("..", false), (".com", false), ("a..com", false), ("127.0.0.1", false),
        ("1", false), ("::1", false), ("a/b", false),
        ("com ", false), ("com/", false), ("a@com", false), ("com:80", false), ("\n", false),
    ])
    func recognizesPublicSuffixes(domain: String, isPublic: Bool) {
        #expect(list.isPublicSuffix(domain) == isPublic)
    }

    @Test func keepsTheTrailingDot() {
        #expect(list.registrableDomain(of: "www.example.com.") == "example.com.")
    }

    @Test(arguments: ["127.0.0.1", "::1", "", "a..b", "com", "..", "0x7f.1", "a b"])
    func findsNoRegistrableDomain(domain: String) {
        #expect(list.registrableDomain(of: domain) == nil)
    }

    @Test func handlesLongNamesQuickly() {
        let name = String(repeating: "a.", count: 100_000) + "kobe.jp"
        #expect(list.registrableDomain(of: name) == "a.a.kobe.jp")
    }

    @Test func reportsItsVersion() {
        #expect(list.version.hasPrefix("20"))
        #expect(PublicSuffixList.source.rules > 9_000)
    }
}
