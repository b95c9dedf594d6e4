internal import ApusPlatform

/// A file that lines are appended to, each by one system call, so that a kill leaves no part of a line.
struct EventFile: Sendable {
    private let descriptor: Int32

    /// Returns `nil` if the file can't be opened.
    init?(_ path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
    }

    func append(_ line: String) {
        let bytes = Array("\(line.replacing("\n", with: " "))\n".utf8)
        // A lost line would be a lost proof, so it is no use to go on.
        guard write(descriptor, bytes, bytes.count) == bytes.count else { exit(3) }
    }
}
