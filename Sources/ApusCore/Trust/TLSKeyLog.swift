internal import ApusPlatform
internal import Dispatch
internal import Foundation
internal import Logging

/// The place where the secrets of TLS connections are logged, in the format that NSS has introduced (`SSLKEYLOGFILE`).
/// Wireshark and other tools decrypt recorded traffic with it.
///
/// ```swift
/// configuration.tls.keyLog = .file("/tmp/keys.log")
/// ```
///
/// - Warning: Anyone with the log can read all traffic of these connections, with passwords and tokens, and take them
///   over. Use it on a machine of your own, for as long as you need it, and never in production.
///
/// Two logs with the same file are equal. A log with a closure is equal to its copies only.
public struct TLSKeyLog: Sendable, Hashable {
    package enum Target: Sendable, Hashable {
        case file(String)
        case writer(Writer)
    }

    /// A closure that receives the lines.
    package final class Writer: Sendable, Hashable {
        package let write: @Sendable (String) -> Void

        init(_ write: @escaping @Sendable (String) -> Void) {
            self.write = write
        }

        package static func == (one: Writer, other: Writer) -> Bool { one === other }

        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    package let target: Target

    /// Logs to a file, which is created with access for its owner only. Lines are appended to a file that exists.
    public static func file(_ path: String) -> TLSKeyLog { TLSKeyLog(target: .file(path)) }

    /// Logs to the file that the environment variable `SSLKEYLOGFILE` names. `nil` if it is not set or empty. The
    /// variable has no effect without this.
    public static var environment: TLSKeyLog? {
        guard let path = ProcessInfo.processInfo.environment["SSLKEYLOGFILE"], !path.isEmpty else { return nil }
        return .file(path)
    }

    /// Creates a log that passes each line to a closure.
    ///
    /// - Parameter write: Called for each secret with a line that ends with a line feed, on an event loop. It must not
    ///   block.
    public init(_ write: @escaping @Sendable (_ line: String) -> Void) {
        self.init(target: .writer(Writer(write)))
    }

    private init(target: Target) {
        self.target = target
    }

    /// Returns the function that logs a line.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the file can't be opened.
    package func writer() throws(ApusError) -> @Sendable (String) -> Void {
        switch target {
        case .writer(let writer): return writer.write
        case .file(let path):
            let file = KeyLogFile(path: path)
            if let error = file.append("") { throw error }
            return { line in file.queue.async { _ = file.append(line) } }
        }
    }
}

/// The file of a key log. It is opened for each line, since a connection has only about five.
private struct KeyLogFile: Sendable {
    let path: String
    /// Keeps the lines of all files in order, and the file system away from the event loops.
    let queue = DispatchQueue(label: "apus.key-log")

    /// Appends a line. Returns the error if the file can't be opened or written.
    func append(_ line: String) -> ApusError? {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return failure(errno) }
        defer { close(descriptor) }
        let code = PrivateFile.put(Data(line.utf8), into: descriptor)
        return code == 0 ? nil : failure(code)
    }

    private func failure(_ number: Int32) -> ApusError {
        let words = String(cString: strerror(number))
        return ApusError(.invalidConfiguration, "the key log '\(path)' can't be written: \(words)").with(fileAt: path)
    }
}

extension SessionConfiguration {
    /// Logs a warning about a key log.
    ///
    /// - Parameter host: The host whose connections can be decrypted.
    package func warnOfKeyLog(for host: String) {
        logger.warning("the TLS secrets of connections to \(host) are logged: anyone with them can read all traffic")
    }
}
