internal import Apus

/// The file of `--output`. Opened and truncated at the first write.
final class OutputFile: OutputSink {
    private let name: String
    private let files: Files
    private let file = Lock<DownloadFile?>(nil)

    /// - Throws: `CommandFault` if the file can't be written.
    init(_ name: String, files: Files) throws(CommandFault) {
        self.name = name
        self.files = files
        try DownloadFile.check(replacing: name, files: files)
    }

    /// Creates the file unless it is open already, since the response may have no output.
    func open() throws(OutputFault) { _ = try opened() }

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFault) {
        let file = try opened()
        do throws(CommandFault) {
            try file.write(bytes)
        } catch {
            throw .failed(error.sentence)
        }
    }

    private func opened() throws(OutputFault) -> DownloadFile {
        if let file = file.withLock({ $0 }) { return file }
        do throws(CommandFault) {
            let new = try DownloadFile(replacing: name, files: files)
            file.withLock { $0 = new }
            return new
        } catch {
            throw .failed(error.sentence)
        }
    }
}
