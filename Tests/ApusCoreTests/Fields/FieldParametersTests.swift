internal import Testing

@testable internal import ApusCore

@Suite struct FieldParametersTests {
    @Test(
        arguments: [
            ("text/html", []), ("", []), ("; a=b", ["a=b"]), ("x;a=b;C = \"d;e\" ; f=g ", ["a=b", "c=d;e", "f=g"]),
            (#"x; a="b\"c\\"; d=e"#, [#"a=b"c\"#, "d=e"]), ("x; a; b=c", ["b=c"]), ("x; a=\"b", ["a=b"]),
            ("x; a=; b=\"\"", ["a=", "b="]), (";;;=;\"", ["="]), ("x\t;\ta\t=\tb\t", ["a=b"]),
            ("x; a=b; a=c", ["a=b", "a=c"]),
            (#"x; a="b\"#, [#"a=b\"#]),
        ] as [(String, [String])]
    )
    func readsParametersInOrder(field: String, expected: [String]) {
        #expect(FieldParameters.all(of: field).map { "\($0.name)=\($0.value)" } == expected)
    }

    @Test func returnsTheFirstParameterOfAName() {
        #expect(FieldParameters.value(of: "a", in: "x; b=1; A=2; a=3") == "2")
        #expect(FieldParameters.value(of: "x", in: "x; b=1") == nil)
    }
}
