/// The limits for running and queued jobs.
struct SharedJobsLimits {
    /// The maximum number of threads.
    var threadCount: Int
    /// The maximum number of jobs that wait for a thread.
    var queuedCount: Int
}
