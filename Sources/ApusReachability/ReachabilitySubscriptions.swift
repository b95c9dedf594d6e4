/// The subscribers of a network, each with the status that it got last.
///
/// ```
///   added → active → current status → changed status → … → removed
///                       ↑ an equal status is not reported
/// ```
struct ReachabilitySubscriptions: Sendable {
    typealias Delivery = @Sendable (_ number: Int, _ status: ReachabilityStatus) -> Void

    /// A status is due for a subscriber.
    struct Report: Sendable {
        let number: Int
        let deliver: Delivery
    }

    private struct Entry: Sendable {
        let report: Report
        var isActive = false
        var latest: ReachabilityStatus?
    }

    private var entries: [Entry] = []
    private var nextNumber = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Adds a subscriber and returns its number. It gets nothing until it is active.
    mutating func add(_ deliver: @escaping Delivery) -> Int {
        defer { nextNumber += 1 }
        entries.append(Entry(report: Report(number: nextNumber, deliver: deliver)))
        return nextNumber
    }

    /// Makes a subscriber active. Does nothing if it was removed.
    mutating func activate(_ number: Int) {
        guard let index = entries.firstIndex(where: { $0.report.number == number }) else { return }
        entries[index].isActive = true
    }

    /// Removes a subscriber. Returns its closure, or `nil` if it was removed before.
    mutating func remove(_ number: Int) -> Delivery? {
        guard let index = entries.firstIndex(where: { $0.report.number == number }) else { return nil }
        return entries.remove(at: index).report.deliver
    }

    func contains(_ number: Int) -> Bool { entries.contains { $0.report.number == number } }

    /// Returns the active subscribers that the status is new for, in the order in which they were added.
    mutating func update(_ status: ReachabilityStatus) -> [Report] {
        var reports: [Report] = []
        for index in entries.indices where entries[index].isActive && entries[index].latest != status {
            entries[index].latest = status
            reports.append(entries[index].report)
        }
        return reports
    }
}
