internal import Apus
internal import ApusPlatform

extension Console {
    /// Returns the body piped into the command, or `none` if there is none.
    ///
    /// A pipe that is neither written nor closed would block the command forever. After ten seconds without a byte, a
    /// message on standard error explains the wait.
    ///
    /// - Parameter isHeld: Whether the body is needed more than once.
    /// - Returns: The body.
    /// - Throws: `CommandFault` if standard input can't be read.
    func readInput(isHeld: Bool) throws(CommandFault) -> RequestBody {
        switch input {
        case .terminal: return .none
        case .bytes(let bytes): return bytes.isEmpty ? .none : .chunk(BodyChunk(bytes))
        case .descriptor(let number):
            if !FileDescriptor.isReadable(number, within: 10_000) {
                report("waiting for the request body on standard input; use --ignore-stdin if there is none")
            }
            do throws(FileDescriptor.Fault) {
                let source = Descriptor(number, isOwned: false)
                return try PipedContent(source: source, name: "standard input", isHeld: isHeld).body()
            } catch {
                // The descriptor is closed, or not open for reading.
                if error.number == EBADF { return .none }
                throw CommandFault("standard input can't be read: \(error.words); use --ignore-stdin to skip it")
            }
        }
    }
}
