/// The way in which the end of a request's body is marked.
package enum RequestFraming: Sendable, Equatable {
    /// There is no body, and no field that declares one.
    case none
    /// Content-Length. The count may be zero, but not negative.
    case length(Int)
    /// Transfer-Encoding: chunked.
    case chunked
}
