internal import ApusTestServer
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct EventLogTests {
    /// Returns the events of a list that a monitor receives. Of a sequence of progress events it is the last, or none.
    private func delivered(_ list: [LoggedEvent?], _ receivesProgress: Bool) -> [String] {
        let list = list.compactMap { $0 }
        return list.indices.compactMap { index in
            if list[index].isProgress {
                if !receivesProgress { return nil }
                if index + 1 < list.count, list[index + 1].supersedes(list[index]) { return nil }
            }
            guard case .request(let request, let event) = list[index] else { return nil }
            if case .serialized(let response) = event, let number = response.serializationDuration {
                return "\(request) \(number)"
            }
            return "\(request) \(event)"
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
            var log = EventLog(wantsProgress: wantsProgress)
            var lists = wantsProgress.map { _ in [LoggedEvent?]() }
            for number in 0..<Int.random(in: 1...60, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let monitor = Int.random(in: wantsProgress.indices, using: &random)
                    let all = delivered(lists[monitor], wantsProgress[monitor])
                    #expect(log.hasMore(for: monitor) || all.isEmpty)
                    #expect(delivered(log.take(by: monitor).events, wantsProgress[monitor]) == all)
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
                #expect(delivered(log.take(by: monitor).events, wantsProgress[monitor]) == all)
            }
        }
    }

    private func request(_ number: UInt64) -> RequestSummary { RequestSummary(id: RequestID(number: number)) }

    private func record() throws -> ExchangeRecord {
        let begin = MonotonicInstant(nanoseconds: 1)
        return ExchangeRecord(method: .get, target: try TargetURI("http://h/"), cause: .first, begin: begin)
    }

    @Test func releasesEventsDeliveredToEveryMonitor() throws {
        var log = EventLog(wantsProgress: [false, false])
        var made: ExchangeRecord? = try record()
        weak let record = made
        log.put(.request(request(1), .exchangeEnded(try #require(made))))
        made = nil
        #expect(log.take(by: 0).events.count == 1)
        #expect(record != nil)
        log.put(.request(request(1), .finished))
        #expect(log.take(by: 0).events.count == 1)
        #expect(record != nil)
        #expect(log.take(by: 1).events.count == 2)
        #expect(record == nil)
    }

    /// Progress does not wake a monitor that ignores it. Retained events would accumulate during a transfer.
    @Test func keepsNoProgressForAMonitorThatIgnoresIt() {
        var log = EventLog(wantsProgress: [true, false])
        for number in 0..<1000 {
            log.put(.request(request(UInt64(number % 2)), .contentSent(Int64(number), of: nil)))
            #expect(!log.hasMore(for: 1))
            if number % 3 == 0 { _ = log.take(by: 0) }
        }
        let taken = log.take(by: 1)
        #expect(taken.events.isEmpty)
        #expect(taken.released.isEmpty)
    }

    /// A slow monitor that ignores progress retains the events before it, but no progress events.
    @Test func releasesProgressDeliveredToItsMonitors() {
        var log = EventLog(wantsProgress: [true, false])
        log.put(.request(request(1), .resumed))
        for number in 0..<1000 {
            log.put(.request(request(UInt64(number % 2)), .contentSent(Int64(number), of: nil)))
            #expect(log.take(by: 0).events.last.map { "\($0!)" }?.contains("\(number)") == true)
        }
        #expect(log.take(by: 1).events.count <= 2)
    }

    @Test func keepsNoProgressThatEveryMonitorIgnores() {
        var log = EventLog(wantsProgress: [false, false])
        log.put(.request(request(1), .resumed))
        log.put(.request(request(1), .contentSent(1, of: nil)))
        #expect(log.take(by: 0).events.count == 1)
    }

    @Test func keepsNothingWithoutMonitors() throws {
        var made: ExchangeRecord? = try record()
        weak let record = made
        let composite = CompositeEventMonitor(monitors: [])
        composite.request(request(1), did: .exchangeEnded(try #require(made)))
        var log = EventLog(wantsProgress: [])
        log.put(.request(request(1), .exchangeEnded(try #require(made))))
        made = nil
        #expect(record == nil)
        withExtendedLifetime((log, composite)) {}
    }
}
