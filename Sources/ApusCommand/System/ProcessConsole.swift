internal import Apus
internal import ApusPlatform

extension Console {
    /// The console of this process.
    package static var process: Console {
        var environment: [String: String] = [:]
        let names = ["NO_COLOR", "TERM", "HOME", "NETRC", "XDG_CONFIG_HOME"]
        for name in names + ProxyEnvironment.variables {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return Console(
            environment: environment,
            input: isatty(STDIN_FILENO) == 1 ? .terminal : .descriptor(STDIN_FILENO),
            output: channel(STDOUT_FILENO),
            error: channel(STDERR_FILENO),
            askPassword: { PasswordPrompt.ask($0) }
        )
    }

    private static func channel(_ descriptor: Int32) -> OutputChannel {
        let sink = DescriptorSink(descriptor: descriptor)
        guard isatty(descriptor) == 1 else { return OutputChannel(sink) }
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return OutputChannel(sink, isTerminal: true, columns: isKnown ? Int(size.ws_col) : 80)
    }
}
