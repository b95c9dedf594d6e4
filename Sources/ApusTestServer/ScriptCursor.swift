/// The place in a script, with the loops around it.
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

    /// The next step that is no loop; nil when the script is over.
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
            // An empty loop is silence: it never ends and does nothing.
            if script.steps.isEmpty { return .silence }
            frames.append(Frame(steps: script.steps, repeats: true))
        }
        return nil
    }
}
