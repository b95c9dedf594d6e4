import Testing

@testable import ApusCommand

@Suite struct ExitCodeTests {
    @Test(
        arguments: [
            (200, false, 0), (204, true, 0), (304, false, 3), (301, false, 3), (301, true, 0), (404, false, 4),
            (499, true, 4), (500, false, 5), (599, true, 5), (600, false, 0),
        ] as [(Int, Bool, Int32)]
    )
    func followsHTTPie(status: Int, followsRedirects: Bool, code: Int32) {
        #expect(ExitCode(status: status, followsRedirects: followsRedirects).rawValue == code)
    }
}

@Suite struct CredentialsTests {
    @Test func splitsAtTheFirstColon() throws {
        let credentials = try Credentials("ada:a:b") { _ in nil }
        #expect(credentials == Credentials(user: "ada", password: "a:b"))
        #expect(try Credentials("ada:") { _ in "asked" } == Credentials(user: "ada", password: ""))
    }

    @Test func asksForThePassword() throws {
        #expect(try Credentials("ada") { "secret of \($0)" } == Credentials(user: "ada", password: "secret of ada"))
        #expect(throws: CommandFault.self) { try Credentials("ada") { _ in nil } }
    }

    @Test func sendsUTF8() {
        #expect(Credentials(user: "test", password: "123£").authorization == "Basic dGVzdDoxMjPCow==")
    }
}
