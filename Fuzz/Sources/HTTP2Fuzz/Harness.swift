internal import Foundation
internal import FuzzDriver

@testable internal import ApusEngine

@main enum HTTP2Fuzz {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "verdicts":
            let isGood = try compareWithSwiftNIO(arguments.dropFirst())
            exit(isGood ? 0 : 1)
        case "cases": try writeCases(arguments.dropFirst())
        default: runFuzzer(testOneInput)
        }
    }
}

/// Runs one input: bytes that select the parameters, followed by the bytes of a server, a program or header blocks. See
/// `HTTP2FuzzInput`.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > HTTP2FuzzInput.parameterCount else { return 0 }
    let input = HTTP2FuzzInput(Array(UnsafeBufferPointer(start: start, count: count)))
    switch input.mode {
    case .raw, .program: checkConnection(input)
    case .decoder: HPACKFuzz.checkDecoder(input.content)
    case .roundTrip: HPACKFuzz.checkRoundTrip(input.content)
    }
    return 0
}

/// Checks that the events do not depend on the reads. The client checks everything else.
private func checkConnection(_ input: HTTP2FuzzInput) {
    let whole = HTTP2FuzzClient.transcript(of: input, cuts: .none)
    compare(HTTP2FuzzClient.transcript(of: input, cuts: .everywhere), whole, "byte by byte")
    compare(HTTP2FuzzClient.transcript(of: input, cuts: .random(seed: input.seed)), whole, "cut at random")
}

private func compare(_ cut: HTTP2FuzzClient.Transcript, _ whole: HTTP2FuzzClient.Transcript, _ name: String) {
    // The parts in which a DATA frame arrives are useful, late or empty for the flood guard.
    if cut.hasData, cut.isFlood || whole.isFlood { return }
    require(cut == whole, "\(name) differs from whole:\n\(cut)\n\n\(whole)")
}
