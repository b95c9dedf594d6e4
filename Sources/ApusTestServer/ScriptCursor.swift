/// The position in a script, including enclosing loops.
struct ScriptCursor {
    private struct Frame {
        let steps: [Step]
        let repeats: Bool
        var index = 0
    }

    private var frames: [Frame]

    init(_ script: Script) {
        frames = [Frame(steps: script.steps, repeats: false)]
    }

    /// Returns the next step that is not a loop, or nil at the end of the script.
    mutating func next() -> Step? {
        while var frame = frames.popLast() {
            if frame.index == frame.steps.count {
                guard frame.repeats else { continue }
                frame.index = 0
            }
            let step = frame.steps[frame.index]
            frame.index += 1
            frames.append(frame)
            guard case .loop(let script) = step else { return step }
            // An empty loop never ends and does nothing, which is the same as silence.
            if script.steps.isEmpty { return .silence }
            frames.append(Frame(steps: script.steps, repeats: true))
        }
        return nil
    }
}
