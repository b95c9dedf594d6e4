internal import Foundation
internal import Testing

/// What `Tests/TestWidth` is linked for.
@Suite
struct TestWidthTests {
    @Test
    func fewTestsRunAtOnce() throws {
        let width = ProcessInfo.processInfo.environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"]
        #expect(try #require(Int(width ?? "")) >= 1)
    }
}
