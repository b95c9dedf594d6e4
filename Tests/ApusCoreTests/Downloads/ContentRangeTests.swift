internal import Testing

@testable internal import ApusCore

@Suite struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-499/1234", 0, 499, 1234), ("bytes 500-1233/1234", 500, 1233, 1234), ("bytes 7-7/*", 7, 7, nil),
            ("bytes 0-0/1", 0, 0, 1), ("Bytes 0-0/1", 0, 0, 1), ("bytes 0000000000000000000000-01/002", 0, 1, 2),
            ("bytes 0-9223372036854775806/*", 0, 9_223_372_036_854_775_806, nil),
            (
                "bytes 0-9223372036854775806/9223372036854775807", 0, 9_223_372_036_854_775_806,
                9_223_372_036_854_775_807
            ),
        ] as [(String, Int64, Int64, Int64?)]
    )
    func readsThePlaceOfAPart(text: String, first: Int64, last: Int64, total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.bounds == first...last)
        #expect(range.total == total)
    }

    @Test(arguments: [("bytes */1234", 1234), ("bytes */0", 0)] as [(String, Int64)])
    func readsTheLengthWithoutAPart(text: String, total: Int64) throws {
        let range = try #require(ContentRange(text))
        #expect(range.bounds == nil)
        #expect(range.total == total)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes 0/1", "bytes -1/2", "bytes 0-/2", "bytes -/2",
        "bytes */*", "bytes */", "bytes /1", "bytes 0-1-2/3", "bytes 0-1/2/3", "bytes=0-1/2", "bytes:0-1/2", "0-1/2",
        "lines 0-1/2", "bytes  0-1/2", " bytes 0-1/2", "bytes 0-1/2 ", "bytes 0 - 1/2", "bytes +0-1/2", "bytes 0-+1/2",
        "bytes 0-1/+2", "bytes 0x0-1/2", "bytes 0-1/-2", "bytes a-b/c", "bytes ٠-١/٢", "bytes 0-1/2,bytes 2-3/4",
        "bytes\t0-1/2",
    ])
    func rejectsOtherForms(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(arguments: [
        "bytes 2-1/3", "bytes 0-3/3", "bytes 0-2/2", "bytes 0-0/0", "bytes 9-9/9",
        "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775807/9223372036854775807",
        "bytes 0-9223372036854775808/*", "bytes 9223372036854775808-9223372036854775809/*",
        "bytes 0-1/9223372036854775808", "bytes */9223372036854775808",
        "bytes 0-1/99999999999999999999999999999999999999",
    ])
    func rejectsImpossibleNumbers(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
