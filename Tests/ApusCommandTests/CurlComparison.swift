import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// Sends requests by the command and by curl, and compares what a server gets of both.
enum CurlComparison {
    static let answers = TestServer.Behaviour.handler { _ in TestResponse(status: 200, body: .text("ok")) }

    static func compare(_ attempts: [CurlCase], _ runner: CommandRunner, _ server: TestServer) async throws {
        server.forgetRequests()
        var commands: [String] = []
        for attempt in attempts {
            let command = try await attempt.run(in: runner.folder)
            #expect(!command.unicodeScalars.contains { ControlCharacters.steers($0.value) })
            commands.append(command)
        }
        // One shell for all of them, which is told what each of them ended with.
        let script = commands.map { "\($0)echo \" $?\"\n" }.joined()
        let outcome = try await Shell.run(script, in: runner.folder)
        let endings = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
        try #require(endings.count == commands.count && outcome.status == 0, "\(outcome.error)")
        let requests = server.requests.map(SentRequest.init)
        try #require(requests.count == 2 * commands.count)
        for (index, command) in commands.enumerated() {
            #expect(endings[index].hasSuffix(" 0"), "\(command)")
            #expect(requests[index] == requests[commands.count + index], "\(command)")
        }
    }
}

/// A request as far as two of them have to be the same.
private struct SentRequest: Equatable {
    let method: String
    let target: String
    let fields: [String]
    let body: [UInt8]

    init(_ request: TestRequest) {
        method = request.method
        target = request.target
        var lines = request.fields.map { "\($0.name.lowercased()): \($0.value)" }
        var content = request.body
        // The boundary of a form is anybody's choice, and with it the length.
        if content.starts(with: "--".utf8), let end = content.firstIndex(of: 0x0D) {
            let boundary = Array(content[2..<end])
            let text = String(decoding: boundary, as: UTF8.self)
            lines = lines.filter { !$0.hasPrefix("content-length") }.map {
                $0.replacingOccurrences(of: text, with: "-")
            }
            content = Self.replacing(boundary, in: content)
        }
        fields = lines.sorted()
        body = content
    }

    private static func replacing(_ boundary: [UInt8], in content: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = content[...]
        while let first = rest.first {
            if first == boundary[0], rest.starts(with: boundary) {
                output.append(0)
                rest = rest.dropFirst(boundary.count)
            } else {
                output.append(first)
                rest = rest.dropFirst()
            }
        }
        return output
    }
}
