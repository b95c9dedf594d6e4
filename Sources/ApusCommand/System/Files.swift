internal import Apus
internal import ApusPlatform
internal import Foundation

/// Resolves the file names that the user typed.
struct Files: Sendable {
    /// The folder for relative names, or empty for the process's working directory.
    let workingDirectory: String
    /// The folder for `~`, which shells do not expand after an `@`.
    let home: String?
    /// Standard input, for the file names that stand for it.
    var input = StandardInput.terminal

    /// Whether a name stands for standard input.
    static func isStandardInput(_ typed: some StringProtocol) -> Bool {
        ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains { $0 == typed }
    }

    /// Returns the path to open for a typed name.
    func path(_ typed: String) -> String {
        if let home, typed == "~" || typed.hasPrefix("~/") { return home + typed.dropFirst(1) }
        guard !typed.hasPrefix("/"), !workingDirectory.isEmpty else { return typed }
        return "\(workingDirectory)/\(typed)"
    }

    /// Returns the absolute path of a typed name, which means the same file in another working directory.
    func absolutePath(_ typed: String) -> String { Self.absolute(path(typed)) }

    /// Returns the absolute path of a path.
    static func absolute(_ path: String) -> String {
        let whole = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        return whole.replacing("/./", with: "/")
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - typed: The name as typed.
    ///   - purpose: The purpose of the file, for the error message: "the item 'a=@b'".
    /// - Returns: The bytes of the file.
    /// - Throws: `CommandFault` if the file can't be read.
    func content(of typed: String, for purpose: String) throws(CommandFault) -> [UInt8] {
        do throws(FileDescriptor.Fault) {
            return try open(path(typed)).readAll()
        } catch {
            throw CommandFault(
                "\(purpose) needs the file '\(typed)', but it can't be read: \(error.words); check its name"
            )
        }
    }

    /// Opens a file.
    ///
    /// - Parameter path: Its path.
    /// - Returns: The open file. Names of standard input return its descriptor, since a socket can't be opened by name.
    /// - Throws: The system's error.
    func open(_ path: String) throws(FileDescriptor.Fault) -> Descriptor {
        if Self.isStandardInput(path), case .descriptor(let number) = input {
            return Descriptor(number, isOwned: false)
        }
        return Descriptor(try FileDescriptor.open(path, O_RDONLY), isOwned: true)
    }

    /// Returns the body for a pipe, a device, or standard input.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isHeld: Whether the body is needed more than once.
    /// - Returns: The body, or `nil` for a regular file, which is read while it is sent.
    /// - Throws: `ApusError` with the code `fileUnreadable`.
    func pipedBody(of path: String, isHeld: Bool) throws(ApusError) -> RequestBody? {
        let kind = FileStatus(path: path)?.kind
        guard Self.isStandardInput(path) || kind == .pipe || kind == .characterDevice else { return nil }
        do throws(FileDescriptor.Fault) {
            let body = try PipedContent(source: try open(path), name: "'\(path)'", isHeld: isHeld).body()
            return body.isNone ? .chunk(BodyChunk([])) : body
        } catch {
            throw ApusError(.fileUnreadable, "'\(path)' can't be read: \(error.words)")
        }
    }

    /// Reads a file as UTF-8 text.
    func text(of typed: String, for purpose: String) throws(CommandFault) -> String {
        let content = try content(of: typed, for: purpose)
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CommandFault("\(purpose) needs the file '\(typed)' to be UTF-8 text, but it is not")
        }
        return text
    }
}
