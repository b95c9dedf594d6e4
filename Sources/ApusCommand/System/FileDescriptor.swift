internal import ApusPlatform

/// The system calls of the command. Interrupted calls are retried.
enum FileDescriptor {
    /// An error number of the system, and its message.
    struct Fault: Error, Equatable {
        let number: Int32

        /// The system's message, beginning in lower case for use inside a sentence.
        var words: String {
            let words = String(cString: strerror(number))
            return words.prefix(1).lowercased() + words.dropFirst()
        }
    }

    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws(Fault) -> Int32 {
        while true {
            #if canImport(Darwin)
                let descriptor = Darwin.open(path, flags | O_CLOEXEC, mode)
            #elseif canImport(Musl)
                let descriptor = Musl.open(path, flags | O_CLOEXEC, mode)
            #else
                let descriptor = Glibc.open(path, flags | O_CLOEXEC, mode)
            #endif
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw Fault(number: errno) }
        }
    }

    /// Whether a path is the regular file that standard output or standard error is redirected to.
    static func isOutput(_ path: String) -> Bool {
        guard let named = FileStatus(path: path), named.kind == .regular else { return false }
        return [STDOUT_FILENO, STDERR_FILENO].contains { FileStatus(descriptor: $0)?.identity == named.identity }
    }

    /// Writes all of `bytes`.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Fault) {
        var rest = bytes
        while let address = rest.baseAddress, !rest.isEmpty {
            #if canImport(Darwin)
                let count = Darwin.write(descriptor, address, rest.count)
            #elseif canImport(Musl)
                let count = Musl.write(descriptor, address, rest.count)
            #else
                let count = Glibc.write(descriptor, address, rest.count)
            #endif
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                // Another program made the pipe non-blocking: wait until it accepts more.
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Self.wait(&poll, milliseconds: -1)
            } else if errno != EINTR {
                throw Fault(number: errno)
            }
        }
    }

    /// Reads to the end.
    ///
    /// - Parameter descriptor: The file to read.
    /// - Returns: All bytes up to the end.
    /// - Throws: The system's error.
    static func readAll(_ descriptor: Int32) throws(Fault) -> [UInt8] {
        var content: [UInt8] = []
        while true {
            let piece = try read(descriptor, upTo: 1 << 16)
            if piece.isEmpty { return content }
            content += piece
        }
    }

    /// Reads the available bytes and waits for at least one. Returns an empty array at the end.
    static func read(_ descriptor: Int32, upTo limit: Int) throws(Fault) -> [UInt8] {
        var result = Result<Int, Fault>.success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            result = read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
            if case .success(let read) = result { count = read }
        }
        _ = try result.get()
        return bytes
    }

    /// Reads the available bytes and waits for at least one.
    ///
    /// - Parameters:
    ///   - descriptor: The file to read.
    ///   - memory: The buffer for the bytes.
    ///   - offset: The position in the file, or `nil` to continue after the previous read.
    /// - Returns: The number of bytes read, which is 0 at the end, or the system's error.
    static func read(
        _ descriptor: Int32,
        into memory: UnsafeMutableRawBufferPointer,
        at offset: Int64? = nil
    ) -> Result<Int, Fault> {
        while true {
            let count: Int
            if let offset {
                count = pread(descriptor, memory.baseAddress, memory.count, off_t(offset))
            } else {
                #if canImport(Darwin)
                    count = Darwin.read(descriptor, memory.baseAddress, memory.count)
                #elseif canImport(Musl)
                    count = Musl.read(descriptor, memory.baseAddress, memory.count)
                #else
                    count = Glibc.read(descriptor, memory.baseAddress, memory.count)
                #endif
            }
            if count >= 0 { return .success(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = wait(&poll, milliseconds: -1)
            default: return .failure(Fault(number: errno))
            }
        }
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Glibc.close(descriptor)
        #endif
    }

    /// Waits for bytes to read or the end of the file. Returns `false` if the time expires first.
    static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return wait(&poll, milliseconds: milliseconds) != 0
    }

    private static func wait(_ descriptor: inout pollfd, milliseconds: Int32) -> Int32 {
        var count = poll(&descriptor, 1, milliseconds)
        while count < 0, errno == EINTR { count = poll(&descriptor, 1, milliseconds) }
        return count
    }
}
