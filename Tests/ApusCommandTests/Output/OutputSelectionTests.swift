import Testing

@testable import ApusCommand

@Suite struct OutputSelectionTests {
    private func resolve(
        _ letters: String? = nil,
        _ shortcut: OutputSelection.Shortcut? = nil,
        verbosity: Int = 0,
        isOffline: Bool = false,
        isDownload: Bool = false,
        isTerminal: Bool = false
    ) throws -> OutputSelection {
        try OutputSelection.resolve(
            letters: letters,
            shortcut: shortcut,
            verbosity: verbosity,
            isOffline: isOffline,
            isDownload: isDownload,
            isTerminal: isTerminal
        )
    }

    @Test func selectsOnlyTheBodyOnAPipe() throws {
        #expect(try resolve() == .responseBody)
        #expect(try resolve(isTerminal: true) == [.responseHead, .responseBody])
    }

    @Test func readsLetters() throws {
        #expect(try resolve("HBhbm") == [.request, .response, .metrics])
        #expect(try resolve("H") == .requestHead)
        #expect(try resolve("") == [])
        #expect(throws: CommandFault.self) { try resolve("Hx") }
    }

    @Test func expandsShortcuts() throws {
        #expect(try resolve(nil, .head) == .responseHead)
        #expect(try resolve(nil, .body, isTerminal: true) == .responseBody)
        #expect(try resolve(nil, .metrics) == .metrics)
        #expect(try resolve(verbosity: 1) == [.request, .response])
        #expect(try resolve(verbosity: 2) == [.request, .response, .metrics])
        #expect(try resolve(isOffline: true, isTerminal: true) == .request)
    }

    @Test func prefersLetters() throws {
        #expect(try resolve("B", .head, verbosity: 2, isOffline: true) == .requestBody)
    }

    @Test func neverPrintsADownloadedBody() throws {
        #expect(try resolve(isDownload: true) == [])
        #expect(try resolve(verbosity: 1, isDownload: true) == [.request, .responseHead])
    }
}
