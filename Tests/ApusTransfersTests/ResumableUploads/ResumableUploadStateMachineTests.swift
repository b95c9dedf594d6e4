internal import ApusCore
internal import HTTPTypes
internal import Testing

@testable internal import ApusTransfers

@Suite struct ResumableUploadStateMachineTests {
    private typealias Machine = ResumableUploadStateMachine

    private static let origin = Origin(scheme: .https, host: "h")
    private static let target = TargetURI(origin: origin, path: "/files")
    private static let resource = TargetURI(origin: origin, path: "/uploads/1")

    private func machine(
        length: Int64 = 100,
        version: ResumableUpload.InteropVersion = .v6,
        retryLimit: Int = 3,
        mayBeginAnew: Bool = false
    ) -> Machine {
        Machine(
            Machine.Rules(length: length, version: version, retryLimit: retryLimit, mayBeginAnew: mayBeginAnew)
        )
    }

    private func answer(
        _ status: Int,
        _ fields: HTTPFields = [:],
        from target: TargetURI = Self.target
    ) -> Machine.Answer {
        Machine.Answer(status: .init(code: status), fields: fields, target: target, origin: Self.origin)
    }

    private static let cut = Machine.Failure.interruption(isUnsent: false)

    /// Passes an interim response on.
    private func announce(
        _ fields: HTTPFields,
        to machine: inout Machine,
        from target: TargetURI = Self.target,
        version: String? = "6"
    ) {
        var fields = fields
        fields[.uploadDraftInteropVersion] = version
        machine.note(fields, from: target, of: Self.origin)
    }

    /// Returns a machine that has an upload resource and retrieves its offset for the first time.
    private func interrupted(
        length: Int64 = 100,
        version: ResumableUpload.InteropVersion = .v6,
        mayBeginAnew: Bool = false,
        _ fields: HTTPFields = [:]
    ) -> Machine {
        var machine = machine(length: length, version: version, mayBeginAnew: mayBeginAnew)
        var fields = fields
        fields[.location] = "/uploads/1"
        announce(fields, to: &machine, version: "\(version.rawValue)")
        let action = machine.receive(Self.cut)
        #expect(action == .send(.retrieveOffset, pause: 1))
        #expect(machine.resource == Self.resource)
        return machine
    }

    /// Returns a machine that appends the bytes from an offset on.
    private func appending(
        from offset: Int64 = 40,
        version: ResumableUpload.InteropVersion = .v6,
        mayBeginAnew: Bool = false
    ) -> Machine {
        var machine = interrupted(version: version, mayBeginAnew: mayBeginAnew)
        let action = machine.receive(answer(204, [.uploadOffset: "\(offset)", .uploadComplete: "?0"]))
        #expect(action == .send(.append(offset..<100, isLast: true), pause: nil))
        return machine
    }

    private func isContradiction(_ action: Machine.Action, discards: Bool = true) -> Bool {
        guard case .fail(.contradiction, let isDiscarded) = action else { return false }
        return isDiscarded == discards
    }

    private func isLimit(_ action: Machine.Action, discards: Bool = true) -> Bool {
        guard case .fail(.limit, let isDiscarded) = action else { return false }
        return isDiscarded == discards
    }

    // MARK: Creation

    @Test func beginsWithTheWholeBody() {
        #expect(machine().beginning == .send(.create(length: 100, isLast: true), pause: nil))
        #expect(machine(length: 0).beginning == .send(.create(length: 0, isLast: true), pause: nil))
    }

    @Test(arguments: [200, 201, 204, 300, 303, 400, 401, 404, 409, 413, 422, 500, 501, 503])
    func endsWithAnyResponseOfAServerWithoutSupport(status: Int) {
        var machine = machine()
        let action = machine.receive(answer(status))
        #expect(action == .finish)
    }

    @Test func failsWithTheErrorOfAServerWithoutSupport() {
        for failure in [Self.cut, .other] {
            var machine = machine()
            let action = machine.receive(failure)
            #expect(action == .fail(.last, discards: false))
        }
    }

    @Test func beginsAnewIfNothingWasSent() {
        var machine = machine()
        for number in 1...3 {
            let action = machine.receive(.interruption(isUnsent: true))
            #expect(action == .send(.create(length: 100, isLast: true), pause: number))
        }
        let action = machine.receive(.interruption(isUnsent: true))
        #expect(action == .fail(.last, discards: false))
    }

    @Test func beginsAnewIfThatIsAllowed() {
        var machine = machine(mayBeginAnew: true)
        let afterCut = machine.receive(Self.cut)
        #expect(afterCut == .send(.create(length: 100, isLast: true), pause: 1))
        let afterError = machine.receive(answer(503))
        #expect(afterError == .send(.create(length: 100, isLast: true), pause: 2))
        _ = machine.receive(Self.cut)
        let last = machine.receive(answer(503))
        #expect(last == .finish)
    }

    @Test(arguments: [200, 201, 204, 400, 404, 422])
    func endsWithAResponseThatIsNoInterruption(status: Int) {
        var machine = machine()
        announce([.location: "/uploads/1"], to: &machine)
        let action = machine.receive(answer(status))
        #expect(action == .finish)
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 599])
    func resumesAfterATransientError(status: Int) {
        var machine = machine()
        announce([.location: "/uploads/1"], to: &machine)
        let action = machine.receive(answer(status))
        #expect(action == .send(.retrieveOffset, pause: 1))
    }

    @Test func endsWithAnErrorOfTheTargetThatGotTheWholeUpload() {
        var machine = machine()
        announce([.location: "/uploads/1"], to: &machine)
        let action = machine.receive(answer(500, [.uploadComplete: "?1"]))
        #expect(action == .finish)
    }

    @Test func resumesAfterASuccessThatIsIncomplete() {
        for fields: HTTPFields in [[.uploadComplete: "?0"], [.uploadOffset: "99"]] as [HTTPFields] {
            var machine = machine()
            announce([.location: "/uploads/1"], to: &machine)
            let action = machine.receive(answer(201, fields))
            #expect(action == .send(.retrieveOffset, pause: 1))
        }
    }

    @Test func endsWithAnIncompleteSuccessOfAServerWithoutAResource() {
        var machine = machine()
        let action = machine.receive(answer(200, [.uploadComplete: "?0"]))
        #expect(action == .finish)
    }

    @Test func endsWithASuccessThatConfirmsAllBytes() {
        var machine = machine()
        announce([.location: "/uploads/1"], to: &machine)
        let action = machine.receive(answer(201, [.uploadOffset: "100", .location: "/movies/7"]))
        #expect(action == .finish)
    }

    // MARK: Interim responses

    @Test(arguments: [nil, "5", "7", "6.0", "x"]) func ignoresOtherVersions(version: String?) {
        var machine = machine()
        announce([.location: "/uploads/1", .uploadOffset: "5"], to: &machine, version: version)
        #expect(machine.resource == nil)
        #expect(machine.acknowledged == 0)
    }

    @Test(arguments: ResumableUpload.InteropVersion.allCases)
    func speaksEachVersion(version: ResumableUpload.InteropVersion) {
        _ = interrupted(version: version)
    }

    @Test func followsTheOffset() {
        var machine = machine()
        announce([.location: "/uploads/1"], to: &machine)
        announce([.uploadOffset: "30"], to: &machine)
        #expect(machine.acknowledged == 30)
        #expect(machine.violation == nil)
        announce([.uploadOffset: "29"], to: &machine)
        #expect(machine.violation != nil)
        let action = machine.receive(.other)
        #expect(isContradiction(action))
    }

    @Test func rejectsAnOffsetBeyondTheLength() {
        var machine = machine()
        announce([.location: "/uploads/1", .uploadOffset: "101"], to: &machine)
        let action = machine.receive(.other)
        #expect(isContradiction(action))
    }

    @Test func stopsIfTheUploadIsTooLong() {
        var machine = machine()
        announce([.location: "/uploads/1", .uploadLimit: "max-size=99"], to: &machine)
        #expect(machine.violation != nil)
        let action = machine.receive(.other)
        #expect(isLimit(action))
    }

    @Test func acceptsTheMaximumSize() {
        var machine = machine()
        announce([.location: "/uploads/1", .uploadLimit: "max-size=100"], to: &machine)
        #expect(machine.violation == nil)
    }

    @Test(arguments: ["https://h/uploads/1", "//h/uploads/1", "uploads/1", "https://h:443/uploads/1#x"])
    func resolvesTheLocation(location: String) {
        var machine = machine()
        announce([.location: location], to: &machine)
        #expect(machine.resource == Self.resource)
    }

    @Test func keepsTheUserInformationOfTheRequest() throws {
        var machine = machine()
        let target = try TargetURI("https://ada:secret@h/files")
        announce([.location: "https://eve@h/uploads/1"], to: &machine, from: target)
        #expect(machine.resource?.userInformation == target.userInformation)
        #expect(machine.resource?.path == "/uploads/1")
    }

    @Test(arguments: ["https://other/uploads/1", "http://h/uploads/1", "https://h:444/uploads/1", "ftp://h/", ""])
    func usesNoResourceOfAnotherOrigin(location: String) {
        var machine = machine()
        announce([.location: location], to: &machine)
        if location.isEmpty {
            // An empty reference is the target itself.
            #expect(machine.resource == Self.target)
            return
        }
        #expect(machine.resource == nil)
        let action = machine.receive(Self.cut)
        #expect(isContradiction(action, discards: false))
    }

    /// A redirect has led to another origin, which names a resource of its own.
    @Test func usesNoResourceOfTheOriginOfARedirect() throws {
        var machine = machine()
        announce([.location: "/uploads/1"], to: &machine, from: try TargetURI("https://other/files"))
        #expect(machine.resource == nil)
    }

    /// A redirect has led to another origin, which names a resource of the first one. Requests to that would have
    /// credentials.
    @Test func usesNoResourceThatAnotherOriginNames() throws {
        var machine = machine()
        announce([.location: "https://h/account"], to: &machine, from: try TargetURI("https://other/files"))
        #expect(machine.resource == nil)
        let action = machine.receive(Self.cut)
        #expect(isContradiction(action, discards: false))
    }

    @Test func uploadsOnIfTheResourceIsOfNoUse() {
        var machine = machine(mayBeginAnew: true)
        announce([.location: "https://other/uploads/1"], to: &machine)
        let again = machine.receive(Self.cut)
        #expect(again == .send(.create(length: 100, isLast: true), pause: 1))
        announce([.location: "/uploads/1"], to: &machine)
        #expect(machine.resource == Self.resource)
        let action = machine.receive(answer(200))
        #expect(action == .finish)
    }

    @Test func usesNoneOfTwoResources() {
        var machine = machine()
        announce([.location: "/uploads/1"], to: &machine)
        announce([.location: "/uploads/1"], to: &machine)
        #expect(machine.resource == Self.resource)
        announce([.location: "/uploads/2"], to: &machine)
        announce([.location: "/uploads/1"], to: &machine)
        #expect(machine.resource == nil)
        let action = machine.receive(Self.cut)
        #expect(isContradiction(action, discards: false))
    }

    // MARK: Offset

    @Test func appendsTheRest() {
        for offset: Int64 in [0, 1, 99, 100] {
            var machine = interrupted()
            let action = machine.receive(answer(204, [.uploadOffset: "\(offset)", .uploadComplete: "?0"]))
            #expect(action == .send(.append(offset..<100, isLast: true), pause: nil))
        }
    }

    @Test func endsIfTheServerHasTheWholeUpload() {
        var machine = interrupted()
        let action = machine.receive(answer(204, [.uploadOffset: "100", .uploadComplete: "?1"]))
        #expect(action == .finish)
    }

    @Test(
        arguments: [
            [:], [.uploadOffset: "x"], [.uploadOffset: "-1"], [.uploadOffset: "101"],
            [.uploadOffset: "50", .uploadComplete: "?1"], [.uploadOffset: "50", .uploadLength: "99"],
        ] as [HTTPFields]
    )
    func rejectsAContradictoryOffset(fields: HTTPFields) {
        var machine = interrupted()
        let action = machine.receive(answer(200, fields))
        #expect(isContradiction(action))
    }

    @Test func rejectsAnOffsetThatGoesBack() {
        var machine = appending(from: 40)
        _ = machine.receive(Self.cut)
        let action = machine.receive(answer(204, [.uploadOffset: "39"]))
        #expect(isContradiction(action))
    }

    @Test func retriesItAfterAnInterruption() {
        var machine = interrupted()
        let second = machine.receive(Self.cut)
        #expect(second == .send(.retrieveOffset, pause: 2))
        let third = machine.receive(answer(503))
        #expect(third == .send(.retrieveOffset, pause: 3))
        let last = machine.receive(answer(503))
        #expect(last == .fail(.refused, discards: false))
    }

    @Test func failsWithTheLastErrorAfterTooManyInterruptions() {
        var machine = interrupted()
        _ = machine.receive(Self.cut)
        _ = machine.receive(Self.cut)
        let last = machine.receive(Self.cut)
        #expect(last == .fail(.last, discards: false))
    }

    @Test(arguments: [301, 302, 303, 400, 401, 403, 405, 501]) func failsAfterARefusal(status: Int) {
        var machine = interrupted()
        let action = machine.receive(answer(status, [.location: "/uploads/2"]))
        #expect(action == .fail(.refused, discards: false))
    }

    @Test(arguments: [404, 410]) func failsIfTheUploadIsLost(status: Int) {
        var machine = interrupted()
        let action = machine.receive(answer(status))
        #expect(action == .fail(.lost, discards: false))
    }

    @Test(arguments: [404, 410]) func beginsAnewIfTheUploadIsLost(status: Int) {
        var machine = interrupted(mayBeginAnew: true)
        let action = machine.receive(answer(status))
        #expect(action == .send(.create(length: 100, isLast: true), pause: 2))
        #expect(machine.resource == nil)
        #expect(machine.acknowledged == 0)
    }

    /// A server that loses each upload after some progress does not get it forever.
    @Test func beginsAnewForALimitedNumberOfTimes() {
        var machine = interrupted(mayBeginAnew: true)
        for _ in 0..<3 {
            let again = machine.receive(answer(404))
            guard case .send(.create, _) = again else {
                Issue.record("\(again)")
                return
            }
            announce([.location: "/uploads/1"], to: &machine)
            announce([.uploadOffset: "50"], to: &machine)
            let retrieval = machine.receive(Self.cut)
            #expect(retrieval == .send(.retrieveOffset, pause: 1))
        }
        let action = machine.receive(answer(404))
        #expect(action == .fail(.lost, discards: false))
    }

    @Test(arguments: [307, 308]) func followsTheResource(status: Int) {
        var machine = interrupted()
        let moved = machine.receive(answer(status, [.location: "/uploads/2"], from: Self.resource))
        #expect(moved == .send(.retrieveOffset, pause: nil))
        #expect(machine.resource?.path == "/uploads/2")
        let action = machine.receive(answer(204, [.uploadOffset: "5"]))
        #expect(action == .send(.append(5..<100, isLast: true), pause: nil))
    }

    @Test func doesNotFollowTheResourceToAnotherOrigin() {
        var machine = interrupted()
        let action = machine.receive(answer(308, [.location: "https://other/uploads/2"], from: Self.resource))
        #expect(isContradiction(action))
        #expect(machine.resource == Self.resource)
    }

    @Test func followsALimitedNumberOfRedirects() {
        var machine = interrupted()
        for number in 0..<Machine.redirectLimit {
            let moved = machine.receive(answer(307, [.location: "/uploads/\(number)"], from: Self.resource))
            #expect(moved == .send(.retrieveOffset, pause: nil))
        }
        let action = machine.receive(answer(307, [.location: "/uploads/x"], from: Self.resource))
        #expect(isContradiction(action))
    }

    // MARK: Appending

    @Test(arguments: [200, 201, 204]) func endsWithTheResponseToTheLastByte(status: Int) {
        for fields: HTTPFields in [[:], [.uploadComplete: "?1"], [.uploadOffset: "100"]] as [HTTPFields] {
            var machine = appending()
            let action = machine.receive(answer(status, fields))
            #expect(action == .finish)
        }
    }

    @Test(arguments: [400, 409, 413, 422, 500, 503]) func endsWithAnErrorOfTheTarget(status: Int) {
        var machine = appending()
        let action = machine.receive(answer(status, [.uploadComplete: "?1"]))
        #expect(action == .finish)
    }

    @Test func asksAgainAfterASuccessThatIsIncomplete() {
        var machine = appending()
        for number in 1...3 {
            let action = machine.receive(answer(200, [.uploadComplete: "?0"]))
            #expect(action == .send(.retrieveOffset, pause: number))
            _ = machine.receive(answer(204, [.uploadOffset: "40"]))
        }
        let action = machine.receive(answer(200, [.uploadComplete: "?0"]))
        #expect(isContradiction(action))
    }

    @Test func resumesAfterEachInterruptionWithProgress() {
        var machine = appending(from: 1)
        for offset: Int64 in 2..<50 {
            let retrieval = machine.receive(Self.cut)
            #expect(retrieval == .send(.retrieveOffset, pause: 1))
            let action = machine.receive(answer(204, [.uploadOffset: "\(offset)"]))
            #expect(action == .send(.append(offset..<100, isLast: true), pause: nil))
        }
    }

    @Test func failsAfterTooManyInterruptionsWithoutProgress() {
        var machine = appending()
        for number in 1...3 {
            let retrieval = machine.receive(Self.cut)
            #expect(retrieval == .send(.retrieveOffset, pause: number))
            _ = machine.receive(answer(204, [.uploadOffset: "40"]))
        }
        let action = machine.receive(Self.cut)
        #expect(action == .fail(.last, discards: false))
    }

    @Test(arguments: [409, 408, 500, 503]) func asksForTheOffsetAfterAConflict(status: Int) {
        var machine = appending()
        let retrieval = machine.receive(answer(status, [.uploadOffset: "60"]))
        #expect(retrieval == .send(.retrieveOffset, pause: 1))
        let action = machine.receive(answer(204, [.uploadOffset: "60"]))
        #expect(action == .send(.append(60..<100, isLast: true), pause: nil))
    }

    /// Version 6 does not mark the response of the target.
    @Test(arguments: [400, 401, 415, 422]) func distinguishesRefusalsByTheVersion(status: Int) {
        var machine = appending(version: .v6)
        let old = machine.receive(answer(status))
        #expect(old == .finish)
        for version in [ResumableUpload.InteropVersion.v7, .v8] {
            var machine = appending(version: version)
            let new = machine.receive(answer(status))
            #expect(new == .fail(.refused, discards: false))
        }
        var incomplete = appending(version: .v6)
        let action = incomplete.receive(answer(status, [.uploadComplete: "?0"]))
        #expect(action == .fail(.refused, discards: false))
    }

    @Test func appendsAgainAfterARedirect() {
        var machine = appending()
        let action = machine.receive(answer(307, [.location: "/uploads/2"], from: Self.resource))
        #expect(action == .send(.append(40..<100, isLast: true), pause: nil))
        #expect(machine.resource?.path == "/uploads/2")
    }

    @Test func failsIfTheUploadIsLostWhileAppending() {
        var machine = appending()
        let lost = machine.receive(answer(404))
        #expect(lost == .fail(.lost, discards: false))
        var replayable = appending(mayBeginAnew: true)
        let again = replayable.receive(answer(404))
        #expect(again == .send(.create(length: 100, isLast: true), pause: 1))
    }

    @Test func failsWithALocalError() {
        var machine = appending()
        let action = machine.receive(.other)
        #expect(action == .fail(.last, discards: false))
    }
}
