/// A damage of the files of a queue. The queue goes on without the damaged record.
public enum QueueFault: Error, Sendable, Hashable {
    /// A line of the log is damaged, so its record is lost. A line has one record. The first line has the number 1.
    case damagedRecord(line: Int)
    /// A file of the folder `incoming` is damaged. It was renamed, and its name has the suffix `.damaged`.
    case damagedChange(name: String)
}

extension QueueFault: CustomStringConvertible {
    /// The fault in one sentence.
    public var description: String {
        switch self {
        case .damagedRecord(let line): "line \(line) of the queue's log is damaged; its record is lost"
        case .damagedChange(let name): "'\(name)' in the queue's folder 'incoming' is damaged; it was set aside"
        }
    }
}
