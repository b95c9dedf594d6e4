internal import Apus

/// The file of `--output`: opened, and what stood there replaced, with the first byte that is written.
final class FileSink: OutputSink {
    private let name: String
    private let files: Files
    private let file = Lock<DownloadFile?>(nil)

    /// - Throws: `CommandFault` where the file can't be written.
    init(_ name: String, files: Files) throws(CommandFault) {
        self.name = name
        self.files = files
        try DownloadFile.check(replacing: name, files: files)
    }

    /// Makes the file, if nothing was written so far: the answer may have nothing to write.
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
