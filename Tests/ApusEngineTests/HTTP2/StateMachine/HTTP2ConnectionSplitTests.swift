internal import ApusTestServer
internal import Testing

@testable internal import ApusEngine

/// The events do not depend on how reads divide the bytes.
@Suite struct HTTP2ConnectionSplitTests {
    typealias Entry = HTTP2ConnectionStage.Entry

    /// The events of a conversation, in a form that does not depend on the reads.
    private struct Transcript: Equatable {
        var entries: [Entry] = []
        var failure: HTTP2ConnectionError?
        var freeSlots: Int

        init(_ script: HTTP2ConnectionScript, cuts: [Int]) throws {
            var stage = try HTTP2ConnectionScript.client()
            var start = 0
            for cut in cuts + [script.bytes.count] {
                stage.receive(Array(script.bytes[start..<cut]))
                start = cut
            }
            failure = stage.machine.failure
            freeSlots = stage.machine.freeSlots
            stage.close()
            // The part of a body that precedes a failure depends on the reads.
            let failed = stage.failed
            var previous: Entry?
            for entry in stage.entries {
                if case .body(let stream, _) = entry, failed.contains(stream) { continue }
                if case .body(let stream, let bytes) = entry, case .body(stream, let known)? = previous {
                    entries[entries.count - 1] = .body(stream, known + bytes)
                } else {
                    entries.append(entry)
                }
                previous = entries.last
            }
        }
    }

    @Test(arguments: HTTP2ConnectionScript.all)
    func givesTheSameEventsForEveryCut(script: HTTP2ConnectionScript) throws {
        let complete = try Transcript(script, cuts: [])
        #expect(complete.entries.count > 10)
        for cut in 1..<script.bytes.count {
            #expect(try Transcript(script, cuts: [cut]) == complete, "cut at \(cut)")
        }
        #expect(try Transcript(script, cuts: Array(1..<script.bytes.count)) == complete)
    }

    @Test(arguments: HTTP2ConnectionScript.fatal)
    func givesTheSameFaultForEveryCut(script: HTTP2ConnectionScript) throws {
        let complete = try Transcript(script, cuts: [])
        #expect(complete.failure != nil)
        let count = min(script.bytes.count, 1_000)
        for cut in 1..<count {
            #expect(try Transcript(script, cuts: [cut]) == complete, "cut at \(cut)")
        }
        #expect(try Transcript(script, cuts: Array(1..<count)) == complete)
    }

    @Test func givesTheSameEventsForGeneratedScripts() throws {
        var random = SeededGenerator(seed: 7)
        for script in HTTP2ConnectionScript.all + HTTP2ConnectionScript.fatal {
            for _ in 0..<40 {
                let bytes = Array(script.mutated(using: &random).prefix(1_500))
                guard bytes.count > 2 else { continue }
                let mutated = HTTP2ConnectionScript(testDescription: script.testDescription, bytes: bytes)
                let complete = try Transcript(mutated, cuts: [])
                let single = try Transcript(mutated, cuts: Array(1..<bytes.count))
                #expect(single == complete, "\(bytes)")
                let cut = Int.random(in: 1..<bytes.count, using: &random)
                #expect(try Transcript(mutated, cuts: [cut]) == complete, "\(bytes) cut at \(cut)")
            }
        }
    }
}
