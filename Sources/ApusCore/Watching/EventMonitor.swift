public import Dispatch
public import Foundation
public import HTTPTypes

/// A step in the life of a request, as monitors get to see it.
///
/// One is handed on several times before a monitor gets it: in a box, which costs a pointer each time.
public indirect enum RequestEvent: Sendable {
    /// `resume()` took effect.
    case resumed
    /// `suspend()` took effect.
    case suspended
    /// `cancel()` took effect.
    case cancelled
    /// The request was built.
    case created(RequestMessage)
    /// The request could not be built.
    case creationFailed(ApusError)
    /// The adapters have made what is sent of it, for the first attempt or for another.
    case adapted(RequestMessage)
    /// An adapter has failed.
    case adaptationFailed(ApusError)
    /// An exchange was handed to the transport.
    case exchangeBegan(method: HTTPRequest.Method, target: TargetURI, cause: HopCause)
    /// An informational (1xx) response came.
    case informational(HTTPResponse)
    /// The head of the final response came through the chain.
    case responded(HTTPResponse)
    /// An exchange ended; what was measured of it.
    case exchangeEnded(HopMetrics)
    /// The validators have spoken: `nil` is a yes.
    case validated(ApusError?)
    /// The content of the answer is in a file, in its place.
    case downloaded(URL)
    /// The work on the wire is over, for this attempt: `nil` is success. A handle whose serializers have spoken already is
    /// told of once more where it ends otherwise after all: given up, or by the error of a retrier.
    case completed(ApusError?)
    /// A serializer has made something of the content, or failed.
    case serialized(Duration, ApusError?)
    /// A retrier has the request go again, after a failure or, with `nil`, in spite of a success.
    case retrying(after: Duration, dueTo: ApusError?)
    /// The request is over; nothing follows but what was asked of it afterwards. Where a direct call, or a stream, does not
    /// wait for its exchange, because its deadline has come for example, the end of that may follow too.
    case finished
}

/// Who is told each step of each request: for logging, metrics and tests.
///
/// Events of one request come in the order in which they happened, on `queue`, which has to be a serial one; what has
/// gathered while that was busy comes in one turn of it. A monitor can watch but not decide; that is for middleware.
public protocol EventMonitor: Sendable {
    /// The serial queue that events come on; `.main` by default.
    var queue: DispatchQueue { get }

    /// How long events may gather before they come; 1 ms by default. At zero each has a turn of the queue at once, which
    /// costs a busy session more than the requests do.
    var latency: Duration { get }

    /// Told each step.
    ///
    /// - Parameters:
    ///   - request: Which request: the same for all its attempts and hops.
    ///   - event: What happened.
    func request(_ request: RequestID, did event: RequestEvent)
}

extension EventMonitor {
    public var queue: DispatchQueue { .main }

    public var latency: Duration { .milliseconds(1) }
}

/// Tells the requests of a process apart.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// A number that grows from request to request.
    public let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    /// The number.
    public var description: String { String(number) }
}
