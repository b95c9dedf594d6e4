internal import ApusEngine
internal import HTTPTypes
internal import Testing

/// A value equal to a limit is accepted. A value one above it fails.
@Suite struct HTTP2ResponseLimitTests {
    private static let ok = (":status", "200")

    private func lines(_ count: Int) -> [(String, String)] {
        [(String, String)](repeating: ("a", "b"), count: count)
    }

    @Test func limitsTheNumberOfFields() throws {
        var limits = HTTP2Limits()
        limits.fieldCount = 3
        var stage = HTTP2MessageStage(limits: limits)
        // Each section counts for itself, and pseudo fields don't count.
        try stage.receive([(":status", "103")] + lines(3))
        try stage.receive([Self.ok] + lines(3))
        try stage.receive(lines(3), endStream: true)
        stage = HTTP2MessageStage(limits: limits)
        let failure = try stage.failure([Self.ok] + lines(4))
        #expect(failure?.code == .enhanceYourCalm)
        #expect(failure?.reason == "The response has more than the limit of 3 fields.")
        stage = HTTP2MessageStage(limits: limits)
        try stage.receive([Self.ok])
        // Dropped fields count too.
        #expect(try stage.failure(lines(3) + [("te", "a")], endStream: true) == failure)
    }

    @Test func limitsTheSizeOfAHead() throws {
        var limits = HTTP2Limits()
        // 42 bytes for the status, 34 for each field.
        limits.headerListBytes = 42 + 2 * 34
        var stage = HTTP2MessageStage(limits: limits)
        try stage.receive([(":status", "103")] + lines(2))
        try stage.receive([Self.ok] + lines(2))
        stage = HTTP2MessageStage(limits: limits)
        let failure = try stage.failure([Self.ok, ("a", "b"), ("a", "bc")])
        #expect(failure?.code == .enhanceYourCalm)
        #expect(failure?.reason == "The response head is larger than the limit of 110 bytes.")
        stage = HTTP2MessageStage(limits: limits)
        #expect(try stage.failure([(":status", "103")] + lines(3)) == failure)
    }

    @Test func limitsTheSizeOfTrailers() throws {
        var limits = HTTP2Limits()
        limits.trailerBytes = 2 * 34
        var stage = HTTP2MessageStage(limits: limits)
        try stage.receive([Self.ok] + lines(3))
        #expect(try stage.receive(lines(2), endStream: true) == "trailers|a: b|a: b")
        stage = HTTP2MessageStage(limits: limits)
        try stage.receive([Self.ok])
        let failure = try stage.failure([("a", "b"), ("te", "")], endStream: true)
        #expect(failure == nil)
        stage = HTTP2MessageStage(limits: limits)
        try stage.receive([Self.ok])
        let other = try stage.failure([("a", "b"), ("te", "c")], endStream: true)
        #expect(other?.code == .enhanceYourCalm)
        #expect(other?.reason == "The trailer section of the response is larger than the limit of 68 bytes.")
    }

    @Test func limitsTheNumberOfInformationalResponses() throws {
        var limits = HTTP2Limits()
        limits.informationalResponses = 2
        var stage = HTTP2MessageStage(limits: limits)
        try stage.receive([(":status", "100")])
        try stage.receive([(":status", "103")])
        try stage.receive([Self.ok])
        stage = HTTP2MessageStage(limits: limits)
        try stage.receive([(":status", "100")])
        try stage.receive([(":status", "103")])
        let failure = try stage.failure([(":status", "103")])
        #expect(failure?.code == .enhanceYourCalm)
        #expect(failure?.reason.contains("the limit of 2 informational") == true)
    }

    @Test func survivesLimitsThatAllowNothing() throws {
        var limits = HTTP2Limits()
        limits.fieldCount = 0
        limits.trailerBytes = 0
        limits.informationalResponses = 0
        var stage = HTTP2MessageStage(limits: limits)
        #expect(try stage.receive([Self.ok]) == "head 200")
        #expect(try stage.receive([], endStream: true) == "end")
        stage = HTTP2MessageStage(limits: limits)
        #expect(try stage.failure([(":status", "103")]) != nil)
        limits.headerListBytes = 0
        stage = HTTP2MessageStage(limits: limits)
        #expect(try stage.failure([Self.ok])?.code == .enhanceYourCalm)
    }

    @Test func survivesLimitsThatAllowEverything() throws {
        var limits = HTTP2Limits()
        limits.fieldCount = .max
        limits.headerListBytes = .max
        limits.trailerBytes = .max
        var stage = HTTP2MessageStage(limits: limits)
        let failure = try stage.failure([Self.ok] + lines(70_000))
        #expect(failure?.reason == "The response has more than the limit of 60000 fields.")
        stage = HTTP2MessageStage(limits: limits)
        try stage.receive([Self.ok])
        #expect(try stage.failure(lines(70_000), endStream: true) == failure)
    }
}
