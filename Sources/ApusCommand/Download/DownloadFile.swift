internal import Apus
internal import ApusPlatform

/// A file of `--output` that is written directly, such as a device or a pipe.
final class DownloadFile: Sendable {
    /// The file name for messages.
    let name: String
    private let descriptor: Int32

    /// Opens the file of `--output` and truncates it.
    init(replacing name: String, files: Files) throws(CommandFault) {
        do throws(FileDescriptor.Fault) {
            descriptor = try FileDescriptor.open(files.path(name), O_WRONLY | O_CREAT | O_TRUNC)
            self.name = name
        } catch {
            throw CommandFault("'\(name)' can't be written: \(error.words); name another file with --output")
        }
    }

    deinit {
        FileDescriptor.close(descriptor)
    }

    /// Writes all of `bytes`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFault) {
        do throws(FileDescriptor.Fault) {
            try FileDescriptor.write(bytes, to: descriptor)
        } catch {
            throw CommandFault("'\(name)' can't be written any further: \(error.words)")
        }
    }

    /// Throws if the file can't be written, before the request is sent. Creates and changes nothing.
    static func check(replacing name: String, files: Files, option: String = "--output") throws(CommandFault) {
        guard !name.isEmpty else {
            let pipe = option == "--output" ? ", or write - for the pipe" : ""
            throw CommandFault("\(option) has no file name; name a file\(pipe)")
        }
        let path = files.path(name)
        if access(path, F_OK) == 0 {
            guard let status = FileStatus(path: path), status.kind != .folder else {
                throw CommandFault("'\(name)' is a folder; name a file with \(option)")
            }
            guard access(path, W_OK) == 0 else {
                let words = FileDescriptor.Fault(number: errno).words
                throw CommandFault("'\(name)' can't be written: \(words); name another file with \(option)")
            }
            return
        }
        try check(folder: path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", for: "'\(name)'", option: option)
    }

    /// Throws if no new file can be created in the working directory.
    static func checkNew(files: Files) throws(CommandFault) {
        try check(folder: files.path("."), for: "the file of the download", option: "--output")
    }

    private static func check(folder: String, for file: String, option: String) throws(CommandFault) {
        guard access(folder, W_OK) == 0 else {
            let words = FileDescriptor.Fault(number: errno).words
            throw CommandFault("\(file) can't be created: \(words); name another file with \(option)")
        }
    }
}
