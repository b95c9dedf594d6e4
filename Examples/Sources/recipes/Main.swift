import Apus

/// Runs a recipe of this folder against a service with httpbin's API:
///
///     swift run --package-path Examples recipes download https://httpbin.org
///
/// `Examples/README.md` shows how a handler of a server sends requests.
@main
struct Main {
    private static let recipes: [(name: String, run: @Sendable (String) async throws -> Void)] = [
        ("decode", decode),
        ("download", downloadWithProgress),
        ("upload", uploadWithProgress),
        ("multipart", uploadForm),
        ("stream", streamToFile),
        ("retry", retryWithBackoff),
        ("token", refreshToken),
        ("request-id", sendRequestID),
        ("archive", recordArchive),
        ("replay", { _ in try await replayArchive() }),
        ("mock", { _ in try await mockService() }),
    ]

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let service = arguments.dropFirst().first ?? "https://httpbin.org"
        guard let recipe = recipes.first(where: { $0.name == arguments.first }) else {
            print("usage: recipes NAME [SERVICE]\n\nNAME is one of: \(recipes.map(\.name).joined(separator: ", "))")
            return
        }
        try await recipe.run(service)
    }
}
