internal import Testing

@testable internal import ApusTrust

@Suite struct StrictTransportSecurityTests {
    @Test(
        arguments: [
            ("max-age=0", 0), ("max-age=1", 1), ("max-age=31536000", 31_536_000), ("MAX-AGE=1", 1), ("Max-Age=1", 1),
            ("max-age=\"1\"", 1), ("max-age=\"31536000\"", 31_536_000), ("max-age=\"\\1\\2\"", 12), ("max-age=007", 7),
            ("max-age = 1", 1), ("max-age\t=\t1", 1), ("  max-age=1  ", 1), ("max-age=1;", 1), (";max-age=1", 1),
            (";;max-age=1;;", 1), ("max-age=1 ; ", 1), ("max-age=1; preload", 1), ("preload;max-age=1", 1),
            ("max-age=1; other=value", 1), ("max-age=1; other=\"a;b=c\"", 1), ("max-age=1; other=\"a\\\"b\"", 1),
            ("max-age=1; other=\"\"", 1), ("max-age=1; other=\"ä\"", 1), ("max-age=1; x; y; z=1", 1),
            ("max-age=1; includesubdomains2", 1), ("max-age=315360000", 315_360_000),
            ("max-age=315360001", 315_360_000),
            ("max-age=99999999999999999999999999999999", 315_360_000),
            ("max-age=\"99999999999999999999\"", 315_360_000),
        ] as [(String, Int64)]
    )
    func readsTheAge(field: String, age: Int64) {
        let policy = StrictTransportSecurity(field.utf8)
        #expect(policy == StrictTransportSecurity(maxAge: age, includesSubdomains: false))
    }

    @Test(arguments: [
        "max-age=1; includeSubDomains", "max-age=1;includesubdomains", "includeSubDomains;max-age=1",
        "INCLUDESUBDOMAINS ; MAX-AGE=1", "max-age=1; includeSubDomains; preload", "max-age=1;;includeSubDomains ;",
        " \t includeSubDomains \t ; \t max-age \t = \t \"1\" \t ",
    ])
    func readsWhetherSubdomainsAreIncluded(field: String) {
        let policy = StrictTransportSecurity(field.utf8)
        #expect(policy == StrictTransportSecurity(maxAge: 1, includesSubdomains: true))
    }

    @Test(arguments: [
        "", " ", ";", "includeSubDomains", "max-age", "max-age=", "max-age=;", "max-age=\"\"", "max-age=x",
        "max-age=-1", "max-age=+1", "max-age=1.5", "max-age=1e3", "max-age=0x10", "max-age=1 2", "max-age 1",
        "max-age=1, max-age=2", "max-age=1 includeSubDomains", "max-age=\"1", "max-age=\"1\\", "max-age=\"1\"2",
        "max-age=' 1'", "max-age=\" 1\"", "=1", "max-age=1; =2", "max-age=1; max-age=1", "max-age=1; MAX-AGE=2",
        "max-age=1; includeSubDomains; includeSubDomains", "max-age=1; includeSubDomains=1",
        "max-age=1; includeSubDomains=\"\"", "max-age=1; x; x", "max-age=1; x=1; X=2", "max-age=1; a b",
        "max-age=1; other=", "max-age=1; other=a b", "max-age=1; (x)", "max-age=\u{661}", "m\u{E4}x-age=1",
        "max-age=1; other=ä", "{}", "max-age:1",
    ])
    func ignoresMalformedFields(field: String) {
        #expect(StrictTransportSecurity(field.utf8) == nil)
    }
}
