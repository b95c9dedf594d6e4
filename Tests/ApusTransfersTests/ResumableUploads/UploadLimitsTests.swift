internal import Testing

@testable internal import ApusTransfers

@Suite struct UploadLimitsTests {
    @Test func readsEachLimit() throws {
        let limits = try #require(
            UploadLimits(
                "max-size=1000, min-size=1, max-append-size=100, min-append-size=10, max-age=3600, other=\"x\""
            )
        )
        #expect(limits.maximumSize == 1000)
        #expect(limits.maximumAppendSize == 100)
        #expect(limits.minimumAppendSize == 10)
        #expect(limits.lifetime == 3600)
    }

    /// The name before draft 06.
    @Test func readsTheFormerNameOfTheLifetime() {
        #expect(UploadLimits("expires=60")?.lifetime == 60)
        #expect(UploadLimits("expires=60, max-age=90")?.lifetime == 90)
    }

    @Test func mayHaveNone() {
        #expect(UploadLimits("") == UploadLimits())
        #expect(UploadLimits("min-size=0") == UploadLimits())
    }

    @Test(
        arguments: [
            "max-size", "max-size=1.5", "max-size=\"1\"", "max-size=-1", "min-size=x", "max-append-size=?1",
            "expires=(1)",
            "max-size=1000000000000000", "max-size=1;", "{}",
        ]
    )
    func rejectsTheWholeFieldForAnInvalidLimit(text: String) {
        #expect(UploadLimits(text) == nil)
    }

    @Test func keepsTheLimitsThatOthersLack() throws {
        var limits = try #require(UploadLimits("max-size=10, max-append-size=5"))
        limits.merge(try #require(UploadLimits("max-append-size=6, max-age=1")))
        #expect(limits == UploadLimits("max-size=10, max-append-size=6, max-age=1"))
    }
}
