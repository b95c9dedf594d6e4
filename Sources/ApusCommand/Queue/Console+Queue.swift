internal import Apus
internal import Foundation

extension Console {
    /// Opens the queue in the folder of `--queue`, or creates it.
    ///
    /// - Throws: `CommandFault` if the folder can't be created.
    func queue(in folder: String, session: Session) throws(CommandFault) -> TransferQueue {
        let url = URL(filePath: files.absolutePath(folder), directoryHint: .isDirectory)
        do throws(ApusError) {
            return try TransferQueue(folder: url, session: session)
        } catch {
            throw CommandFault("\(error.detail); name another folder with --queue")
        }
    }
}
