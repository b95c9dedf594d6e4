internal import Apus
internal import HTTPTypes

extension RequestPlan {
    /// Checks that a flag may request parts of the file in place of the whole one.
    ///
    /// - Parameter option: The flag, for the message.
    /// - Throws: `CommandFault` if the method is not GET, or if an item chooses the range.
    func checkRanges(for option: String) throws(CommandFault) {
        guard method == .get else {
            throw CommandFault("\(option) needs a GET, but this is a \(method.rawValue); leave it out")
        }
        guard !typedFields.contains(.range), !typedFields.contains(.ifRange) else {
            throw CommandFault("\(option) chooses the range; leave out the item with Range or If-Range")
        }
    }
}
