internal import Foundation
internal import Testing

/// Checks that `Tests/TestWidth` is linked, which limits the number of parallel tests.
@Suite
struct TestWidthTests {
    @Test
    func limitsTheNumberOfParallelTests() throws {
        let width = ProcessInfo.processInfo.environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"]
        #expect(try #require(Int(width ?? "")) >= 1)
    }
}
