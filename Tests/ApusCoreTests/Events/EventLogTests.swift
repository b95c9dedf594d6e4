internal import ApusTestServer
internal import DequeModule
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct EventLogTests {
    /// A log whose results are arrays, which expectations can copy.
    private final class Recorder {
        private var log: EventLog
        /// The number of events that the last `take` has released.
        private(set) var releasedCount = 0

        init(wantsProgress: [Bool]) {
            log = EventLog(wantsProgress: wantsProgress)
        }

        func put(_ event: LoggedEvent) { log.put(event) }

        func hasMore(for monitor: Int) -> Bool { log.hasMore(for: monitor) }

        func take(by monitor: Int) -> [LoggedEvent] {
            var taken = log.take(by: monitor)
            releasedCount = taken.released.count
            var events: [LoggedEvent] = []
            while let event = taken.events.popFirst() { events.append(event) }
            return events
        }
    }

    /// Returns the events of a list that a monitor receives. Of a sequence of progress events it is the last, or none.
    private func delivered(_ list: [LoggedEvent], _ receivesProgress: Bool) -> [String] {
        list.indices.compactMap { index in
            if list[index].isProgress {
                if !receivesProgress { return nil }
                if index + 1 < list.count, list[index + 1].supersedes(list[index]) { return nil }
            }
            guard case .request(let entry) = list[index] else { return nil }
            if case .serialized(let response) = entry.event, let number = response.serializationDuration {
                return "\(entry.request) \(number)"
            }
            return "\(entry.request) \(entry.event)"
        }
    }

    private func randomEvent(_ number: Int, _ random: inout SeededGenerator) -> LoggedEvent {
        let request = request(UInt64.random(in: 1...2, using: &random))
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: .request(request, .numbered(number))
        case 1: .request(request, .contentReceived(Int64(number), of: nil))
        default: .request(request, .contentSent(Int64(number), of: nil))
        }
    }

    /// Compares the log with a list of the undelivered events of each monitor.
    @Test(arguments: [[true], [false], [true, false], [false, true, true, false]])
    func deliversAllEventsInOrderAtThePaceOfEachMonitor(wantsProgress: [Bool]) {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let log = Recorder(wantsProgress: wantsProgress)
            var lists = wantsProgress.map { _ in [LoggedEvent]() }
            for number in 0..<Int.random(in: 1...60, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let monitor = Int.random(in: wantsProgress.indices, using: &random)
                    let all = delivered(lists[monitor], wantsProgress[monitor])
                    #expect(log.hasMore(for: monitor) || all.isEmpty)
                    #expect(delivered(log.take(by: monitor), wantsProgress[monitor]) == all)
                    #expect(!log.hasMore(for: monitor))
                    lists[monitor] = []
                } else {
                    let next = randomEvent(number, &random)
                    log.put(next)
                    for monitor in lists.indices { lists[monitor].append(next) }
                }
            }
            for monitor in wantsProgress.indices {
                let all = delivered(lists[monitor], wantsProgress[monitor])
                #expect(delivered(log.take(by: monitor), wantsProgress[monitor]) == all)
            }
        }
    }

    private func request(_ number: UInt64) -> RequestSummary { RequestSummary(id: RequestID(number: number)) }

    private func record() throws -> ExchangeRecord {
        let begin = MonotonicInstant(nanoseconds: 1)
        return ExchangeRecord(method: .get, target: try TargetURI("http://h/"), cause: .first, begin: begin)
    }

    @Test func releasesEventsDeliveredToEveryMonitor() throws {
        let log = Recorder(wantsProgress: [false, false])
        var made: ExchangeRecord? = try record()
        weak let record = made
        log.put(.request(request(1), .exchangeEnded(try #require(made))))
        made = nil
        #expect(log.take(by: 0).count == 1)
        #expect(record != nil)
        log.put(.request(request(1), .finished))
        #expect(log.take(by: 0).count == 1)
        #expect(record != nil)
        #expect(log.take(by: 1).count == 2)
        #expect(record == nil)
    }

    /// Progress does not wake a monitor that ignores it. Retained events would accumulate during a transfer.
    @Test func keepsNoProgressForAMonitorThatIgnoresIt() {
        let log = Recorder(wantsProgress: [true, false])
        for number in 0..<1000 {
            log.put(.request(request(UInt64(number % 2)), .contentSent(Int64(number), of: nil)))
            #expect(!log.hasMore(for: 1))
            if number % 3 == 0 { _ = log.take(by: 0) }
        }
        let taken = log.take(by: 1)
        #expect(taken.isEmpty)
        #expect(log.releasedCount == 0)
    }

    /// A slow monitor that ignores progress retains the events before it, but no progress events.
    @Test func releasesProgressDeliveredToItsMonitors() {
        let log = Recorder(wantsProgress: [true, false])
        log.put(.request(request(1), .resumed))
        for number in 0..<1000 {
            log.put(.request(request(UInt64(number % 2)), .contentSent(Int64(number), of: nil)))
            #expect(log.take(by: 0).last.map { "\($0)" }?.contains("\(number)") == true)
        }
        #expect(log.take(by: 1).count <= 2)
    }

    @Test func keepsNoProgressThatEveryMonitorIgnores() {
        let log = Recorder(wantsProgress: [false, false])
        log.put(.request(request(1), .resumed))
        log.put(.request(request(1), .contentSent(1, of: nil)))
        #expect(log.take(by: 0).count == 1)
    }

    @Test func keepsNothingWithoutMonitors() throws {
        var made: ExchangeRecord? = try record()
        weak let record = made
        let composite = CompositeEventMonitor(monitors: [])
        composite.request(request(1), did: .exchangeEnded(try #require(made)))
        let log = Recorder(wantsProgress: [])
        log.put(.request(request(1), .exchangeEnded(try #require(made))))
        made = nil
        #expect(record == nil)
        withExtendedLifetime((log, composite)) {}
    }
}

extension EventLog {
    fileprivate mutating func put(_ event: LoggedEvent) { put(event, isProgress: event.isProgress) }
}
