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
            let descriptor = try FileDescriptor.open(path(typed), O_RDONLY)
            defer { FileDescriptor.close(descriptor) }
            return try FileDescriptor.readAll(descriptor)
        } catch {
            throw CommandFault(
                "\(purpose) needs the file '\(typed)', which can't be read: \(error.words); check its name"
            )
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
