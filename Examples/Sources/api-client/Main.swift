import Apus
import Foundation

/// Adds a note to a service and searches for it.
///
///     swift run api-client http://localhost:8080 "buy bread"
@main
struct Main {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 2, let base = words.first, let text = words.last else {
            print("usage: api-client URL TEXT")
            exit(64)
        }
        do {
            try await add(text, to: base)
        } catch {
            print(error)
        }
    }

    private static func add(_ text: String, to base: String) async throws {
        var configuration = Session.Configuration()
        configuration.baseURL = base
        configuration.timeouts.request = .seconds(10)
        configuration.interceptor = AuthenticationInterceptor(
            authenticator: TokenService(url: try "\(base)/token".asTarget()),
            credential: Token()
        )
        let client = NotesClient(session: Session(configuration: configuration))
        let note = try await client.add(Note(id: 0, text: text))
        print("added \(note.id): \(note.text)")
        for note in try await client.notes(containing: text) { print("found \(note.id): \(note.text)") }
        await client.session.shutdown()
    }
}
