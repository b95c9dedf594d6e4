internal import ApusCore
internal import Testing

@testable internal import ApusReachability

@Suite struct HostLookupStateMachineTests {
    private typealias Next = HostLookupStateMachine.Next

    private var machine = HostLookupStateMachine()
    private let found: HostLookup

    init() throws {
        found = .found([try #require(IPAddress("192.0.2.1"))])
    }

    @Test mutating func runsOneLookupAtATime() {
        let begins = [machine.begin(), machine.begin(), machine.begin(), machine.beginIfIdle()]
        #expect(begins == [true, false, false, false])
        #expect(machine.known == nil)
        // However often the network has changed, one more lookup follows.
        let next = [machine.end(.failed, retries: true), machine.end(found, retries: true)]
        #expect(next == [Next(begins: true), Next()])
        #expect(machine.known == found)
        let isIdle = machine.beginIfIdle()
        #expect(isIdle)
    }

    @Test mutating func keepsItsAddressesIfALaterLookupFails() {
        #expect(machine.lacksAddresses)
        for (outcome, known) in [
            (.failed, .failed), (found, found), (.failed, found), (.notFound, .notFound),
            (.failed, .failed), (found, found),
        ] as [(HostLookup, HostLookup)] {
            let begins = machine.begin()
            _ = machine.end(outcome, retries: false)
            #expect(begins)
            #expect(machine.known == known)
            #expect(machine.lacksAddresses == (known != found))
        }
    }

    @Test mutating func retriesALookupWithoutAnAnswer() {
        _ = machine.begin()
        let first = machine.end(.failed, retries: true)
        _ = machine.begin()
        let second = machine.end(.failed, retries: true)
        #expect(first == Next(retries: true))
        // A retry is already due.
        #expect(second == Next())
        let retried = machine.retry(isUseful: true)
        let last = machine.end(.failed, retries: true)
        #expect(retried)
        #expect(last == Next(retries: true))
    }

    @Test(arguments: [(true, true), (false, false)])
    mutating func retriesOnlyWhileTheResultIsWanted(isUseful: Bool, begins: Bool) {
        _ = machine.begin()
        _ = machine.end(.failed, retries: true)
        let retried = machine.retry(isUseful: isUseful)
        #expect(retried == begins)
    }

    @Test mutating func retriesNothingAfterASuccess() {
        _ = machine.begin()
        _ = machine.end(.failed, retries: true)
        _ = machine.begin()
        _ = machine.end(found, retries: true)
        let retried = machine.retry(isUseful: true)
        #expect(!retried)
    }

    @Test mutating func doesNotRetryNamesThatDoNotExist() {
        _ = machine.begin()
        let next = machine.end(.notFound, retries: true)
        #expect(next == Next())
    }
}
