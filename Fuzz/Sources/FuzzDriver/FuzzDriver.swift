@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer with the arguments of the process. SwiftPM gives every executable a main of its own, so that
/// libFuzzer's can't be linked.
public func runFuzzer(_ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    let result = runDriver(&count, &arguments, test)
    precondition(result == 0, "the fuzzer ended with \(result)")
}

/// Ends the process with a message where a condition does not hold, which is what the fuzzer takes for a fault.
public func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
