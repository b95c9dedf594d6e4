internal import Apus

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Console {
    /// What was piped into the command; `none` where nothing was, which is no body.
    ///
    /// A pipe that nobody writes to and nobody closes would hold the command up for ever: after ten seconds without a
    /// byte it says on standard error what it waits for.
    ///
    /// - Parameter isHeld: Whether the content is needed more than once.
    /// - Returns: The content.
    /// - Throws: `CommandFault` where it can't be read.
    func readInput(isHeld: Bool) throws(CommandFault) -> RequestBody {
        switch input {
        case .terminal: return .none
        case .bytes(let bytes): return bytes.isEmpty ? .none : .chunk(BodyChunk(bytes))
        case .descriptor(let number):
            if !FileDescriptor.isReadable(number, within: 10_000) {
                tell("waits for the request body on standard input; use --ignore-stdin if there is none to come")
            }
            do throws(FileDescriptor.Fault) {
                let source = Descriptor(number, isOwned: false)
                return try PipedContent(source: source, name: "standard input", isHeld: isHeld).body()
            } catch {
                // Closed, or never opened for reading: there is nothing there.
                if error.number == EBADF { return .none }
                throw CommandFault("standard input can't be read: \(error.words); use --ignore-stdin to do without")
            }
        }
    }
}
