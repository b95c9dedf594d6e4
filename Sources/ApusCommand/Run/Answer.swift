internal import Apus

/// The response to the request of one run, and its use for the part that `--continue` goes on with.
struct Answer {
    let response: ReceivedResponse
    /// The part, or `nil` without `--continue`.
    var part: DownloadPart?
    /// The use of the body for the part. Without one, or if it was empty, the body is the whole file.
    var verdict = RangeResumption.Verdict.replaces
}
