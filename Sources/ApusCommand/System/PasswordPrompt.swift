internal import ApusPlatform

/// Asks for a password on the terminal, even if standard input and output are redirected.
enum PasswordPrompt {
    private static let controlC: UInt8 = 0x03
    private static let controlBackslash: UInt8 = 0x1C

    /// Asks for one line of input.
    ///
    /// - Parameters:
    ///   - prompt: The text shown before the input.
    ///   - path: The terminal. Default: the terminal of the process.
    /// - Returns: The input. `nil` without a terminal, for end of file before any input, and for control-C or
    ///   control-\.
    static func ask(_ prompt: String, on path: String = "/dev/tty") -> String? {
        guard let terminal = try? FileDescriptor.open(path, O_RDWR | O_NOCTTY) else { return nil }
        defer { FileDescriptor.close(terminal) }
        var shown = termios()
        guard tcgetattr(terminal, &shown) == 0 else { return nil }
        var hidden = shown
        // Disable signals too, since one that ends the process would leave the terminal without echo. Control-C and
        // control-\ become line ends instead, so that they are read at once.
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        withUnsafeMutableBytes(of: &hidden.c_cc) { characters in
            characters[Int(VEOL)] = controlC
            characters[Int(VEOL2)] = controlBackslash
        }
        tcsetattr(terminal, TCSAFLUSH, &hidden)
        defer { tcsetattr(terminal, TCSAFLUSH, &shown) }
        let sink = DescriptorSink(descriptor: terminal)
        try? OutputChannel(sink).write(prompt)
        defer { try? OutputChannel(sink).write("\n") }
        return line(from: terminal)
    }

    private static func line(from descriptor: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 4096 {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == 0x0A { break }
            if byte == controlC || byte == controlBackslash { return nil }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
