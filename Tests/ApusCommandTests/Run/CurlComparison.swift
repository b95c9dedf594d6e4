import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// Sends requests with the command and with curl, and compares the requests that the server received.
enum CurlComparison {
    static let respond = TestServer.Behavior.handler { _ in TestResponse(status: 200, body: .text("ok")) }

    static func compare(_ attempts: [CurlCase], _ runner: CommandRunner, _ server: TestServer) async throws {
        server.forgetRequests()
        var commands: [String] = []
        for attempt in attempts {
            let command = try await attempt.run(in: runner.folder)
            #expect(!command.unicodeScalars.contains { ControlCharacters.steers($0.value) })
            commands.append(command)
        }
        // One shell runs all commands and prints the exit status of each.
        let script = commands.map { "\($0)echo \" $?\"\n" }.joined()
        let outcome = try await Shell.run(script, in: runner.folder)
        let endings = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
        try #require(endings.count == commands.count && outcome.status == 0, "\(outcome.error)")
        let requests = server.requests.map { SentRequest($0, ignoresBoundary: true) }
        try #require(requests.count == 2 * commands.count)
        for (index, command) in commands.enumerated() {
            #expect(endings[index].hasSuffix(" 0"), "\(command)")
            #expect(requests[index] == requests[commands.count + index], "\(command)")
        }
    }
}
