@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer with the arguments of the process. SwiftPM generates a `main` for every executable, so libFuzzer's
/// cannot be linked.
public func runFuzzer(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    let result = runDriver(&count, &arguments, test)
    precondition(result == 0, "the fuzzer exited with \(result)")
}

/// Terminates the process with a message if a condition is false. The fuzzer reports this as a failure.
public func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
