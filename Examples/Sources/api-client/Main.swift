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
        // A separate session for tokens, since a token request must not require a token.
        let tokenSession = Session()
        var configuration = Session.Configuration()
        configuration.timeouts.request = .seconds(10)
        configuration.middleware = [
            BearerToken { try await tokenSession.post("\(base)/token").validate().string() }
        ]
        let session = Session(configuration: configuration)
        let client = NotesClient(base: base, session: session)
        do {
            let note = try await client.add(Note(id: 0, text: text))
            print("added \(note.id): \(note.text)")
            for note in try await client.notes(containing: text) { print("found \(note.id): \(note.text)") }
        } catch {
            print(error)
        }
        await session.shutdown()
        await tokenSession.shutdown()
    }
}
