/// What the command leaves behind for the shell; the numbers are HTTPie's.
package enum ExitCode: Int32, Sendable {
    /// The exchange took place; with `--check-status`, the status is none of the errors below.
    case success = 0
    /// Anything that has no code of its own: a wrong argument, no connection, a file that can't be written.
    case failure = 1
    /// A time limit ran out.
    case timeout = 2
    /// `--check-status`: a redirect that was not followed.
    case redirection = 3
    /// `--check-status` and `--download`: the status was 4xx.
    case clientError = 4
    /// `--check-status` and `--download`: the status was 5xx.
    case serverError = 5
    /// More redirects than `--max-redirects` allows.
    case tooManyRedirects = 6
    /// Whoever read the output went away; the number that a shell gives to SIGPIPE.
    case brokenPipe = 141

    /// What a status means where it is to be checked.
    ///
    /// - Parameters:
    ///   - status: The status code of the final response.
    ///   - followsRedirects: Whether redirects are followed; one that could not be followed is then no error.
    init(status: Int, followsRedirects: Bool) {
        switch status {
        case 300...399 where !followsRedirects: self = .redirection
        case 400...499: self = .clientError
        case 500...599: self = .serverError
        default: self = .success
        }
    }
}
