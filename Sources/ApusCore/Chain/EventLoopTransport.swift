/// A transport that runs its exchanges on event loops, with the hooks that keep requests there, and that opens
/// connections in advance.
///
/// A class, since each request copies the reference several times.
package protocol EventLoopTransport: AnyObject, Transport {
    /// Returns the executor for requests to `origin` from the global executor. Default: that of `executor(for:)`.
    ///
    /// A request may run its last part on the global executor, together with others, since its caller waits for a
    /// thread there in any case.
    func guestExecutor(for origin: Origin) -> (any TaskExecutor)?

    /// Runs `work` at the cheapest time. It resumes callers that wait for `origin`. Default: runs it immediately.
    ///
    /// It is called on the executor of that origin. The exception is a request that adapters or a later attempt have
    /// moved to another origin: its call comes from the executor of its first origin.
    func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void)

    /// Opens connections to `origin` in advance, as `Session.prepare` describes it. Default: does nothing.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - count: The number of idle connections that are wanted.
    /// - Returns: The number of connections to the origin that are idle.
    /// - Throws: `ApusError`: the failure of the attempts if all have failed, or the cancellation of the task.
    func prepare(_ origin: Origin, count: Int) async throws(ApusError) -> Int
}

extension EventLoopTransport {
    package func guestExecutor(for origin: Origin) -> (any TaskExecutor)? { executor(for: origin) }

    package func wake(for origin: Origin, _ work: @escaping @Sendable () -> Void) { work() }

    package func prepare(_ origin: Origin, count: Int) async throws(ApusError) -> Int { 0 }
}
