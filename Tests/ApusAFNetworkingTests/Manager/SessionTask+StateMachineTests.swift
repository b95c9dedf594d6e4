internal import Testing

@testable internal import ApusAFNetworking

@Suite struct SessionTaskStateMachineTests {
    private typealias Machine = SessionTaskStateMachine<Int>

    /// Performs a step and returns the resulting action as a word.
    private static func perform(_ step: String, on machine: inout Machine) -> String {
        switch step {
        case "resume": word(machine.resume())
        case "suspend": word(machine.suspend())
        case "cancel":
            switch machine.cancel() {
            case .ignore: "ignore"
            case .end: "end"
            case .note: "note"
            case .cancel: "cancel"
            }
        case "begin": machine.begin(1) ? "cancelled" : "begun"
        default:
            switch machine.end() {
            case .ignore: "ignore"
            case .end(nil): "end"
            case .end: "let go"
            }
        }
    }

    private static func word(_ action: Machine.WishAction) -> String {
        switch action {
        case .ignore: "ignore"
        case .note: "note"
        case .begin: "begin"
        case .settle: "settle"
        }
    }

    @Test(arguments: [
        ("", SessionTask.State.suspended),
        ("suspend:ignore", .suspended),
        ("resume:begin", .running),
        ("resume:begin resume:ignore", .running),
        ("resume:begin suspend:note", .suspended),
        ("resume:begin suspend:note suspend:ignore resume:note begin:begun", .running),
        ("resume:begin begin:begun suspend:settle", .suspended),
        ("resume:begin begin:begun suspend:settle resume:settle", .running),
        ("resume:begin begin:begun end:let_go", .completed),
        ("resume:begin begin:begun end:let_go end:ignore resume:ignore suspend:ignore cancel:ignore", .completed),
        ("resume:begin end:end begin:begun", .completed),
        ("cancel:end", .canceling),
        ("cancel:end cancel:ignore resume:ignore end:end", .completed),
        ("resume:begin cancel:note", .canceling),
        ("resume:begin cancel:note begin:cancelled suspend:ignore end:let_go", .completed),
        ("resume:begin begin:begun cancel:cancel", .canceling),
        ("resume:begin begin:begun cancel:cancel cancel:ignore resume:ignore end:let_go", .completed),
    ])
    func followsItsTransitions(steps: String, endsIn state: SessionTask.State) {
        var machine = Machine()
        for step in steps.split(separator: " ") {
            let parts = step.split(separator: ":")
            let done = Self.perform(String(parts[0]), on: &machine)
            #expect(done.replacing(" ", with: "_") == parts[1], "\(step) of \(steps)")
        }
        #expect(machine.state == state)
    }
}
