internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

/// Uploads in parts, and uploads that another program has begun.
@Suite struct ResumableUploadStateMachinePartsTests {
    private typealias Machine = ResumableUploadStateMachine

    private static let origin = Origin(scheme: .https, host: "h")
    private static let target = TargetURI(origin: origin, path: "/files")
    private static let resource = TargetURI(origin: origin, path: "/uploads/1")
    private static let rules = Machine.Rules(length: 100, version: .v8, retryLimit: 3, mayBeginAnew: false)
    private static let cut = Machine.Failure.interruption(isUnsent: false)

    private func answer(_ status: Int, _ fields: HTTPFields = [:]) -> Machine.Answer {
        Machine.Answer(status: .init(code: status), fields: fields, target: Self.target, origin: Self.origin)
    }

    private func announce(_ fields: HTTPFields, to machine: inout Machine) {
        var fields = fields
        fields[.uploadDraftInteropVersion] = "8"
        machine.note(fields, from: Self.target, of: Self.origin)
    }

    /// Returns a machine that retrieves the offset from a server that accepts few bytes in one request.
    private func limited(_ limits: String) -> Machine {
        var machine = Machine(Self.rules)
        announce([.location: "/uploads/1", .uploadLimit: limits], to: &machine)
        _ = machine.receive(Self.cut)
        return machine
    }

    private func isLimit(_ action: Machine.Action) -> Bool {
        if case .fail(.limit, discards: true) = action { true } else { false }
    }

    @Test func appendsParts() {
        var machine = limited("max-append-size=40")
        let first = machine.receive(answer(204, [.uploadOffset: "10"]))
        #expect(first == .send(.append(10..<50, isLast: false), pause: nil))
        let second = machine.receive(answer(204, [.uploadComplete: "?0"]))
        #expect(second == .send(.append(50..<90, isLast: false), pause: nil))
        // The server has taken only some bytes.
        let third = machine.receive(answer(201, [.uploadComplete: "?0", .uploadOffset: "70"]))
        #expect(third == .send(.append(70..<100, isLast: true), pause: nil))
        let last = machine.receive(answer(200, [.uploadComplete: "?1"]))
        #expect(last == .finish)
    }

    @Test func appendsExactlyTheMaximum() {
        var machine = limited("max-append-size=60")
        let action = machine.receive(answer(204, [.uploadOffset: "40"]))
        #expect(action == .send(.append(40..<100, isLast: true), pause: nil))
    }

    @Test func keepsTheMinimum() {
        var allowed = limited("max-append-size=40, min-append-size=40")
        let part = allowed.receive(answer(204, [.uploadOffset: "0"]))
        #expect(part == .send(.append(0..<40, isLast: false), pause: nil))
        // The last part may be short.
        let last = allowed.receive(answer(204, [.uploadOffset: "99"]))
        #expect(last == .send(.append(99..<100, isLast: true), pause: nil))
        for limits in ["max-append-size=40, min-append-size=41", "max-append-size=0"] {
            var machine = limited(limits)
            let action = machine.receive(answer(204, [.uploadOffset: "0"]))
            #expect(isLimit(action))
        }
    }

    @Test func rejectsAPartThatCompletesTheUpload() {
        var machine = limited("max-append-size=40")
        _ = machine.receive(answer(204, [.uploadOffset: "0"]))
        let action = machine.receive(answer(200, [.uploadComplete: "?1"]))
        guard case .fail(.contradiction, discards: true) = action else {
            Issue.record("\(action)")
            return
        }
    }

    /// A server that takes no byte of each part must not be asked forever.
    @Test func failsWithoutProgress() {
        var machine = limited("max-append-size=40")
        _ = machine.receive(answer(204, [.uploadOffset: "5"]))
        for number in 1...3 {
            let retrieval = machine.receive(answer(204, [.uploadOffset: "5"]))
            #expect(retrieval == .send(.retrieveOffset, pause: number))
            _ = machine.receive(answer(204, [.uploadOffset: "5"]))
        }
        let action = machine.receive(answer(204, [.uploadOffset: "5"]))
        #expect(action == .fail(.refused, discards: false))
    }

    @Test func createsAPartIfTheWholeIsTooLarge() {
        var machine = Machine(Self.rules)
        let part = machine.receive(answer(413, [.uploadLimit: "max-append-size=30"]))
        #expect(part == .send(.create(length: 30, isLast: false), pause: nil))
        let next = machine.receive(answer(201, [.location: "/uploads/1", .uploadComplete: "?0"]))
        #expect(next == .send(.append(30..<60, isLast: false), pause: nil))
        #expect(machine.resource == Self.resource)
    }

    @Test func createsAPartWithAnAnnouncedResource() {
        var machine = Machine(Self.rules)
        _ = machine.receive(answer(413, [.uploadLimit: "max-append-size=30"]))
        announce([.location: "/uploads/1"], to: &machine)
        let next = machine.receive(answer(201, [.uploadOffset: "20"]))
        #expect(next == .send(.append(20..<50, isLast: false), pause: nil))
    }

    @Test func asksForTheOffsetIfTheWholeIsTooLarge() {
        var machine = Machine(Self.rules)
        announce([.location: "/uploads/1", .uploadLimit: "max-append-size=30"], to: &machine)
        let retrieval = machine.receive(answer(413))
        #expect(retrieval == .send(.retrieveOffset, pause: nil))
        let part = machine.receive(answer(204, [.uploadOffset: "0"]))
        #expect(part == .send(.append(0..<30, isLast: false), pause: nil))
    }

    @Test(arguments: ["", "max-append-size=100", "max-append-size=101", "max-append-size=0", "max-size=1000"])
    func endsWithARejectionThatNamesNoSmallerSize(limits: String) {
        var machine = Machine(Self.rules)
        let action = machine.receive(answer(413, [.uploadLimit: limits]))
        #expect(action == .finish)
    }

    @Test func createsSmallerPartsForALimitedNumberOfTimes() {
        var machine = Machine(Self.rules)
        for size in [90, 80, 70] {
            let part = machine.receive(answer(413, [.uploadLimit: "max-append-size=\(size)"]))
            #expect(part == .send(.create(length: Int64(size), isLast: false), pause: nil))
        }
        let action = machine.receive(answer(413, [.uploadLimit: "max-append-size=60"]))
        #expect(action == .finish)
    }

    /// The server reports progress of an upload that it rejects each time.
    @Test func countsNewBeginningsDespiteProgress() {
        var machine = Machine(Self.rules)
        for size in [90, 80, 70] {
            announce([.uploadOffset: "1"], to: &machine)
            let part = machine.receive(answer(413, [.uploadLimit: "max-append-size=\(size)"]))
            #expect(part == .send(.create(length: Int64(size), isLast: false), pause: nil))
        }
        announce([.uploadOffset: "1"], to: &machine)
        let action = machine.receive(answer(413, [.uploadLimit: "max-append-size=60"]))
        #expect(action == .finish)
    }

    @Test func appendsSmallerPartsAfterARejection() {
        var machine = limited("max-append-size=40")
        _ = machine.receive(answer(204, [.uploadOffset: "0"]))
        let retrieval = machine.receive(answer(413, [.uploadLimit: "max-append-size=20"]))
        #expect(retrieval == .send(.retrieveOffset, pause: nil))
        let part = machine.receive(answer(204, [.uploadOffset: "0"]))
        #expect(part == .send(.append(0..<20, isLast: false), pause: nil))
        let refusal = machine.receive(answer(413))
        #expect(refusal == .fail(.refused, discards: false))
    }

    @Test(arguments: [[:], [.location: "https://other/uploads/1"]] as [HTTPFields])
    func failsIfThePartHasNoResource(fields: HTTPFields) {
        var machine = Machine(Self.rules)
        _ = machine.receive(answer(413, [.uploadLimit: "max-append-size=30"]))
        let action = machine.receive(answer(201, fields))
        guard case .fail(.contradiction, discards: false) = action else {
            Issue.record("\(action)")
            return
        }
    }

    @Test func failsIfTheServerNamesAMaximumLater() {
        var machine = limited("max-size=100")
        let action = machine.receive(answer(204, [.uploadOffset: "0", .uploadLimit: "max-size=99"]))
        #expect(isLimit(action))
    }

    @Test func countsTheLifetimes() {
        var machine = limited("max-age=60")
        #expect(machine.limits.lifetime == 60)
        #expect(machine.lifetimeCount == 1)
        _ = machine.receive(answer(204, [.uploadOffset: "0", .uploadLimit: "max-age=60"]))
        #expect(machine.lifetimeCount == 2)
    }

    // MARK: Continuation

    private func continued(from offset: Int64 = 0, mayBeginAnew: Bool = false) -> Machine {
        let rules = Machine.Rules(length: 100, version: .v8, retryLimit: 3, mayBeginAnew: mayBeginAnew)
        return Machine(rules, continuingAt: Self.resource, from: offset)
    }

    @Test func continuesAtTheOffsetOfTheServer() {
        var machine = continued(from: 10)
        #expect(machine.beginning == .send(.retrieveOffset, pause: nil))
        let action = machine.receive(answer(204, [.uploadOffset: "30"]))
        #expect(action == .send(.append(30..<100, isLast: true), pause: nil))
    }

    /// The resource may belong to another upload, so it is not removed.
    @Test func removesNoUploadOfAnotherProgram() {
        for fields: HTTPFields in [[.uploadOffset: "101"], [.uploadOffset: "9"], [:]] as [HTTPFields] {
            var machine = continued(from: 10)
            let action = machine.receive(answer(204, fields))
            guard case .fail(.contradiction, discards: false) = action else {
                Issue.record("\(action)")
                continue
            }
        }
    }

    @Test func neverBeginsAnew() {
        var machine = continued(mayBeginAnew: true)
        let action = machine.receive(answer(404))
        #expect(action == .fail(.lost, discards: false))
    }

    @Test func retriesAfterAnInterruption() {
        var machine = continued()
        for number in 1...3 {
            let action = machine.receive(number == 1 ? .interruption(isUnsent: true) : Self.cut)
            #expect(action == .send(.retrieveOffset, pause: number))
        }
        let action = machine.receive(Self.cut)
        #expect(action == .fail(.last, discards: false))
    }
}
