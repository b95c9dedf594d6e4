internal import Apus
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where the names of files that were typed lead to.
struct Files: Sendable {
    /// The folder that relative names start from; empty for the process's own.
    let workingDirectory: String
    /// What `~` stands for, which no shell replaces behind an `@`.
    let home: String?
    /// Standard input, for the names that mean it.
    var input = StandardInput.terminal

    /// Whether a name is one of standard input.
    static func isStandardInput(_ typed: some StringProtocol) -> Bool {
        ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains { $0 == typed }
    }

    /// The path to open for a name that was typed.
    func path(_ typed: String) -> String {
        if let home, typed == "~" || typed.hasPrefix("~/") { return home + typed.dropFirst(1) }
        guard !typed.hasPrefix("/"), !workingDirectory.isEmpty else { return typed }
        return "\(workingDirectory)/\(typed)"
    }

    /// The content of a file.
    ///
    /// - Parameters:
    ///   - typed: The name as it was typed.
    ///   - purpose: What it is for, for the sentence about what went wrong: "the item 'a=@b'".
    /// - Returns: All of it.
    /// - Throws: `CommandFault` where it can't be read.
    func content(of typed: String, for purpose: String) throws(CommandFault) -> [UInt8] {
        do throws(FileDescriptor.Fault) {
            return try open(path(typed)).readAll()
        } catch {
            throw CommandFault(
                "\(purpose) needs the file '\(typed)', which can't be read: \(error.words); check its name"
            )
        }
    }

    /// Opens a file.
    ///
    /// - Parameter path: Its path.
    /// - Returns: The open file; standard input itself where that is named, since a socket can't be opened by its name.
    /// - Throws: The system's error.
    func open(_ path: String) throws(FileDescriptor.Fault) -> Descriptor {
        if Self.isStandardInput(path), case .descriptor(let number) = input {
            return Descriptor(number, isOwned: false)
        }
        return Descriptor(try FileDescriptor.open(path, O_RDONLY), isOwned: true)
    }

    /// The content of a file that is a pipe or a device, or standard input.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isHeld: Whether the content is needed more than once.
    /// - Returns: The content; `nil` for a regular file, which is read as it is sent.
    /// - Throws: `ApusError` with the code `fileUnreadable`.
    func pipedBody(of path: String, isHeld: Bool) throws(ApusError) -> RequestBody? {
        var status = stat()
        guard
            Self.isStandardInput(path)
                || stat(path, &status) == 0 && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
        else { return nil }
        do throws(FileDescriptor.Fault) {
            let body = try PipedContent(source: try open(path), name: "'\(path)'", isHeld: isHeld).body()
            return body.isNone ? .chunk(BodyChunk([])) : body
        } catch {
            throw ApusError(.fileUnreadable, "'\(path)' can't be read: \(error.words)")
        }
    }

    /// The content of a file as text.
    func text(of typed: String, for purpose: String) throws(CommandFault) -> String {
        let content = try content(of: typed, for: purpose)
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CommandFault("\(purpose) needs the file '\(typed)' to be text in UTF-8, which it is not")
        }
        return text
    }
}
