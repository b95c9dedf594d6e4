internal import Testing

@testable internal import ApusCore

@Suite struct ByteCountTests {
    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1550, "1.6 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
            (29_100_000, "29.1 MB"), (5_000_000_000, "5.0 GB"), (Int64.max, "9.2 EB"), (-1, "0 B"),
        ] as [(Int64, String)]
    )
    func formatsSizes(count: Int64, expected: String) {
        #expect(ByteCount.text(count) == expected)
    }

    @Test(
        arguments: [
            (0, "0 B/s"), (0.9, "0 B/s"), (1500, "1.5 kB/s"), (1e19, "0 B/s"), (-3, "0 B/s"), (.nan, "0 B/s"),
            (.infinity, "0 B/s"),
        ] as [(Double, String)]
    )
    func formatsRates(rate: Double, expected: String) {
        #expect(ByteCount.rate(rate) == expected)
    }
}
