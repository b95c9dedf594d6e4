#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Console {
    /// What was piped into the command; empty where nothing was, which is no body.
    ///
    /// A pipe that nobody writes to and nobody closes would hold the command up for ever: after ten seconds without a
    /// byte it says on standard error what it waits for.
    func readInput() throws(CommandFault) -> [UInt8] {
        switch input {
        case .terminal: return []
        case .bytes(let bytes): return bytes
        case .descriptor(let descriptor):
            do throws(FileDescriptor.Fault) {
                return try FileDescriptor.readAll(descriptor, patience: 10_000) {
                    tell("waits for the request body on standard input; use --ignore-stdin if there is none to come")
                }
            } catch {
                // Closed, or never opened for reading: there is nothing there.
                if error.number == EBADF { return [] }
                throw CommandFault("standard input can't be read: \(error.words); use --ignore-stdin to do without")
            }
        }
    }
}
