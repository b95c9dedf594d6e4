internal import Testing

/// All Swift code in the documents occurs word for word in the samples next to this file, so it is compiled. The same
/// holds for the code in the last column of the migration tables.
@Suite struct SampleTests {
    @Test func compilesTheCodeOfTheDocuments() throws {
        let articles = try Repository.files(below: "Sources/Apus/Apus.docc", ending: ".md")
        #expect(articles.count >= 6)
        for path in ["README.md"] + articles { try compare(CodeBlock.blocks(inDocument: path)) }
    }

    @Test(
        arguments: [
            "ApusAFNetworking", "ApusAlamofire", "ApusMetrics", "ApusResilience", "ApusTesting", "ApusTracing",
        ]
    )
    func compilesTheCodeOfTheCatalogues(module: String) throws {
        let blocks = try CodeBlock.blocks(inDocument: "Sources/\(module)/\(module).docc/\(module).md")
        #expect(!blocks.isEmpty)
        try compare(blocks)
    }

    @Test(arguments: ["MigratingFromAFNetworking", "MigratingFromAlamofire"])
    func compilesTheCodeOfTheMigrationTables(article: String) throws {
        let cells = try CodeBlock.lastCells(inDocument: "Sources/Apus/Apus.docc/\(article).md")
        #expect(cells.count >= 100)
        try compare(cells)
    }

    @Test func compilesTheEventsOfTheMonitoringGuide() throws {
        let cells = try CodeBlock.lastCells(inDocument: "Sources/Apus/Apus.docc/WatchingRequests.md")
        #expect(cells.count >= 30)
        try compare(cells)
    }

    @Test(arguments: [
        "Sources/Apus", "Sources/ApusCore", "Sources/ApusAuth", "Sources/ApusCoding", "Sources/ApusParameters",
        "Sources/ApusCookies", "Sources/ApusDiagnostics", "Sources/ApusDocuments", "Sources/ApusJSON",
        "Sources/ApusReachability", "Sources/ApusTesting", "Sources/ApusAFNetworking", "Sources/ApusAlamofire",
        "Sources/ApusMetrics", "Sources/ApusResilience", "Sources/ApusTracing", "Sources/ApusTransfers",
        "Sources/ApusTrust",
    ])
    func compilesTheCodeOfTheComments(folder: String) throws {
        for path in try Repository.files(below: folder, ending: ".swift") {
            try compare(CodeBlock.blocks(inSource: path))
        }
    }

    /// Read only once, because the samples are many and long.
    private static let samples = Result {
        try Repository.files(below: "Tests/DocumentationTests/Samples", ending: ".swift")
            .map { try Repository.text($0).withSingleSpaces }
    }

    private func compare(_ blocks: [CodeBlock]) throws {
        guard !blocks.isEmpty else { return }
        let samples = try Self.samples.get()
        for block in blocks {
            for piece in block.pieces {
                #expect(samples.contains { $0.contains(piece) }, "the code at \(block) is in no sample")
            }
        }
    }
}
