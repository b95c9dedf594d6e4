/// Building the request: once if it is built in, otherwise again for each attempt.
extension RequestTask {
    /// Returns the request message and posts the event of its creation.
    func make() throws(ApusError) -> RequestMessage {
        do throws(ApusError) {
            let message = try source.make(in: context)
            context.eventSink?.postCreated(message)
            return message
        } catch {
            context.post(.creationFailed(error))
            throw error
        }
    }

    /// Whether the request and its body are built again for each attempt.
    var rebuildsRequest: Bool { if case .user = source { true } else { false } }

    /// Returns the request for another attempt. It may have another deadline.
    func rebuildRequest() async throws(ApusError) -> RequestMessage {
        guard rebuildsRequest else { return try make() }
        let message = try await offEventLoop { () throws(ApusError) in try self.make() }
        changeDeadline(to: message)
        return message
    }

    /// Builds the request again if a retrier asks for it, and starts the work. Ends the request otherwise. Releases its
    /// slot.
    func rebuild(after failure: ApusError, _ added: InterceptorSet) {
        // The options of a message are not known yet.
        let interceptors = core.interceptors(for: context.options, added)
        guard rebuildsRequest, !interceptors.retriers.isEmpty else {
            guard state.withLock({ $0.machine.endWork() }) else { return core.limiter.leave() }
            return end(with: failure, leaving: true)
        }
        core.limiter.leave()
        core.environment.counters.add(to: .tasks)
        let task = Task(executorPreference: globalConcurrentExecutor) { [self] in
            do throws(ApusError) {
                let loop = AttemptLoop(call: self, interceptors: interceptors)
                let message = try await loop.rebuilt(after: failure)
                try await core.enter(again: true, with: message.options)
                adaptAndLaunch(message, added)
            } catch {
                let (isAwaited, reason) = state.withLock { ($0.machine.endWork(), $0.machine.reason) }
                // An error of the cancelled task repeats the reason, and its cause is the earlier failure.
                let cause = error.phase == .cancelled ? error.underlying as? ApusError : error
                if isAwaited { end(with: reason?.error.because(of: cause) ?? error) }
            }
            core.environment.counters.remove(from: .tasks)
        }
        keep(task, of: .rebuilding)
    }
}
