internal import ApusTestServer
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite struct EventLogTests {
    /// What a monitor is told of a list of events: no progress that it does not hear, and the last of several steps.
    private func heard(_ list: [Told?], _ hearsProgress: Bool) -> [String] {
        let list = list.compactMap { $0 }
        return list.indices.compactMap { index in
            if list[index].isProgress {
                if !hearsProgress { return nil }
                if index + 1 < list.count, list[index + 1].supersedes(list[index]) { return nil }
            }
            return "\(list[index])"
        }
    }

    private func told(_ number: Int, _ random: inout SeededGenerator) -> Told {
        let request = RequestID(number: UInt64.random(in: 1...2, using: &random))
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: .request(request, .serialized(.seconds(number), nil))
        case 1: .request(request, .contentReceived(Int64(number), of: nil))
        default: .request(request, .contentSent(Int64(number), of: nil))
        }
    }

    /// Beside a list for each monitor of all that it was not told.
    @Test(arguments: [[true], [false], [true, false], [false, true, true, false]])
    func tellsEachMonitorAllInOrderAtItsOwnPace(hearProgress: [Bool]) {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var log = EventLog(hearProgress: hearProgress)
            var lists = hearProgress.map { _ in [Told?]() }
            for number in 0..<Int.random(in: 1...60, using: &random) {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    let monitor = Int.random(in: hearProgress.indices, using: &random)
                    let all = heard(lists[monitor], hearProgress[monitor])
                    #expect(log.hasMore(for: monitor) || all.isEmpty)
                    #expect(heard(log.take(by: monitor).told, hearProgress[monitor]) == all)
                    #expect(!log.hasMore(for: monitor))
                    lists[monitor] = []
                } else {
                    let next = told(number, &random)
                    log.put(next)
                    for monitor in lists.indices { lists[monitor].append(next) }
                }
            }
            for monitor in hearProgress.indices {
                let all = heard(lists[monitor], hearProgress[monitor])
                #expect(heard(log.take(by: monitor).told, hearProgress[monitor]) == all)
            }
        }
    }

    private func record() throws -> ExchangeRecord {
        let begin = MonotonicInstant(nanoseconds: 1)
        return ExchangeRecord(method: .get, target: try TargetURI("http://h/"), cause: .first, begin: begin)
    }

    @Test func keepsNothingThatEveryMonitorWasTold() throws {
        var log = EventLog(hearProgress: [false, false])
        var made: ExchangeRecord? = try record()
        weak let record = made
        log.put(.request(RequestID(number: 1), .exchangeEnded(try #require(made))))
        made = nil
        #expect(log.take(by: 0).told.count == 1)
        #expect(record != nil)
        log.put(.request(RequestID(number: 1), .finished))
        #expect(log.take(by: 0).told.count == 1)
        #expect(record != nil)
        #expect(log.take(by: 1).told.count == 2)
        #expect(record == nil)
    }

    /// A monitor that hears no progress is not woken by it: what waited for it would gather for as long as a content takes.
    @Test func keepsNoProgressForAMonitorThatHearsNone() {
        var log = EventLog(hearProgress: [true, false])
        for number in 0..<1000 {
            log.put(.request(RequestID(number: UInt64(number % 2)), .contentSent(Int64(number), of: nil)))
            #expect(!log.hasMore(for: 1))
            if number % 3 == 0 { _ = log.take(by: 0) }
        }
        let taken = log.take(by: 1)
        #expect(taken.told.isEmpty)
        #expect(taken.gone.isEmpty)
    }

    /// A slow monitor that hears no progress keeps the events ahead of the progress, and not the progress.
    @Test func keepsNoProgressThatAllWhoHearItWereTold() {
        var log = EventLog(hearProgress: [true, false])
        log.put(.request(RequestID(number: 1), .resumed))
        for number in 0..<1000 {
            log.put(.request(RequestID(number: UInt64(number % 2)), .contentSent(Int64(number), of: nil)))
            #expect(log.take(by: 0).told.last.map { "\($0!)" }?.contains("\(number)") == true)
        }
        #expect(log.take(by: 1).told.count <= 2)
    }

    @Test func keepsNoProgressWhereNobodyHearsIt() {
        var log = EventLog(hearProgress: [false, false])
        log.put(.request(RequestID(number: 1), .resumed))
        log.put(.request(RequestID(number: 1), .contentSent(1, of: nil)))
        #expect(log.take(by: 0).told.count == 1)
    }

    @Test func keepsNothingWhereThereIsNobodyToBeTold() throws {
        var made: ExchangeRecord? = try record()
        weak let record = made
        let composite = CompositeEventMonitor(monitors: [])
        composite.request(RequestID(number: 1), did: .exchangeEnded(try #require(made)))
        var log = EventLog(hearProgress: [])
        log.put(.request(RequestID(number: 1), .exchangeEnded(try #require(made))))
        made = nil
        #expect(record == nil)
        withExtendedLifetime((log, composite)) {}
    }
}
