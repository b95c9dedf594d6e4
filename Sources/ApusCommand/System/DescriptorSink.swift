internal import ApusPlatform

/// Writes to a file descriptor.
struct DescriptorSink: OutputSink {
    let descriptor: Int32

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFault) {
        do throws(FileDescriptor.Fault) {
            try FileDescriptor.write(bytes, to: descriptor)
        } catch {
            throw error.number == EPIPE ? .readerGone : .failed("the output can't be written: \(error.words)")
        }
    }
}
