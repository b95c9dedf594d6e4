internal import Foundation

@testable internal import ApusEngine

/// Writes one line of JSON for each of some connections with one GET: the bytes of the server up to the end of the
/// response or to a fault, and the verdict of Apus. Used by `Scripts/compare-http2`. The arguments are the number of
/// connections, and the seed.
func writeCases(_ arguments: ArraySlice<String>) throws {
    let numbers = arguments.compactMap { (text: String) -> Int? in Int(text) }
    let count = numbers.first ?? 1_000
    let seed = UInt64(numbers.dropFirst().first ?? 1)
    var written = 0
    var number: UInt64 = 0
    while written < count {
        var generator = HTTP2CaseGenerator(seed: seed &* 1_000_003 &+ number)
        number += 1
        guard let line = try HTTP2CaseLine(generator.download()) else { continue }
        var data = try JSONEncoder().encode(line)
        data.append(0x0A)
        FileHandle.standardOutput.write(data)
        written += 1
    }
}

/// A connection with the verdict of Apus.
private struct HTTP2CaseLine: Encodable {
    let bytes: String
    let verdict: String
    let end: String
    let body: String
    let reason: String
    /// The lines of each header block.
    let blocks: [[String]]

    /// Returns `nil` if the response does not end.
    init?(_ connection: HTTP2Case) throws {
        var client = try ApusHTTP2Client(connection)
        var server = HTTP2CaseServer()
        let start = client.outcome
        var sent: [UInt8] = []
        for frame in connection.frames {
            sent += frame
            server.send(frame)
            client.receive(frame)
            if !client.outcome.isOpen(1) { break }
        }
        guard !client.outcome.isOpen(1), let stream = client.outcome.streams[1] else { return nil }
        bytes = hexadecimal(sent)
        verdict = client.outcome.verdict(since: start).name
        end = stream.end.rawValue
        body = hexadecimal(stream.body)
        reason = client.reason
        blocks = server.blocks
    }
}
