internal import Testing

@testable internal import ApusReachability

@Suite struct ReachabilitySubscriptionsTests {
    private var subscriptions = ReachabilitySubscriptions()

    private static func numbers(_ reports: [ReachabilitySubscriptions.Report]) -> [Int] { reports.map(\.number) }

    private mutating func subscribe() -> Int {
        let number = subscriptions.add { _, _ in }
        subscriptions.activate(number)
        return number
    }

    @Test mutating func reportsTheFirstStatusAndOnlyChanges() {
        let first = subscribe()
        let reports = [
            Self.numbers(subscriptions.update(.notReachable)), Self.numbers(subscriptions.update(.notReachable)),
            Self.numbers(subscriptions.update(.reachable(.cellular))),
            Self.numbers(subscriptions.update(.reachable(.ethernetOrWiFi))),
            Self.numbers(subscriptions.update(.reachable(.ethernetOrWiFi))),
        ]
        #expect(reports == [[first], [], [first], [first], []])
    }

    @Test mutating func reportsTheCurrentStatusToALaterSubscriber() {
        let first = subscribe()
        let before = Self.numbers(subscriptions.update(.unknown))
        let second = subscribe()
        let after = Self.numbers(subscriptions.update(.unknown))
        let both = Self.numbers(subscriptions.update(.notReachable))
        #expect(first != second)
        #expect(before == [first])
        #expect(after == [second])
        #expect(both == [first, second])
    }

    @Test mutating func reportsNothingBeforeASubscriberIsActive() {
        let number = subscriptions.add { _, _ in }
        let before = Self.numbers(subscriptions.update(.notReachable))
        subscriptions.activate(number)
        let after = Self.numbers(subscriptions.update(.notReachable))
        #expect(before.isEmpty)
        #expect(after == [number])
        // One that was removed is not added again.
        _ = subscriptions.remove(number)
        subscriptions.activate(number)
        #expect(subscriptions.isEmpty)
    }

    @Test mutating func reportsNothingToARemovedSubscriber() {
        let number = subscribe()
        #expect(subscriptions.contains(number))
        let isRemoved = subscriptions.remove(number) != nil
        let isRemovedAgain = subscriptions.remove(number) != nil
        #expect(isRemoved && !isRemovedAgain)
        #expect(subscriptions.isEmpty && !subscriptions.contains(number))
        let reports = Self.numbers(subscriptions.update(.notReachable))
        #expect(reports.isEmpty)
        // A number is never used again.
        let next = subscribe()
        #expect(next != number)
    }
}
