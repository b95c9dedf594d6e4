/// The exit code of the command. The numbers are HTTPie's.
package enum ExitCode: Int32, Sendable {
    /// The exchange took place. With `--check-status`, the status is none of the errors below.
    case success = 0
    /// Any failure without its own code: a wrong argument, no connection, a file that can't be written.
    case failure = 1
    /// A time limit expired.
    case timeout = 2
    /// `--check-status`: a redirect that was not followed.
    case redirection = 3
    /// `--check-status` and `--download`: the status was 4xx.
    case clientError = 4
    /// `--check-status` and `--download`: the status was 5xx.
    case serverError = 5
    /// More redirects than `--max-redirects` allows.
    case tooManyRedirects = 6
    /// The reader of the output closed it. Shells report SIGPIPE with the same number.
    case brokenPipe = 141

    /// Creates the exit code for a status that is checked.
    ///
    /// - Parameters:
    ///   - status: The status code of the final response.
    ///   - followsRedirects: Whether redirects are followed. If so, a remaining redirect status is no error.
    init(status: Int, followsRedirects: Bool) {
        switch status {
        case 300...399 where !followsRedirects: self = .redirection
        case 400...499: self = .clientError
        case 500...599: self = .serverError
        default: self = .success
        }
    }
}
