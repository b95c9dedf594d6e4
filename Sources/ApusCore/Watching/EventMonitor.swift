public import Dispatch
public import Foundation
public import HTTPTypes

/// A step in the life of a request, as monitors get to see it.
///
/// One is handed on several times before a monitor gets it: what is long in it is in a box, which costs a pointer each
/// time.
public enum RequestEvent: Sendable {
    /// `resume()` took effect.
    case resumed
    /// `suspend()` took effect.
    case suspended
    /// `cancel()` took effect.
    case cancelled
    /// The request was built.
    indirect case created(RequestMessage)
    /// The request could not be built.
    case creationFailed(ApusError)
    /// The adapters have made what is sent of it, for the first attempt or for another.
    indirect case adapted(RequestMessage)
    /// An adapter has failed.
    case adaptationFailed(ApusError)
    /// An exchange was handed to the transport.
    case exchangeBegan(method: HTTPRequest.Method, target: TargetURI, cause: HopCause)
    /// The content goes out: how many bytes were handed to the wire so far in this exchange, and how many there will be
    /// where that is known. Told to monitors that hear progress.
    case contentSent(Int64, of: Int64?)
    /// An informational (1xx) response came.
    case informational(HTTPResponse)
    /// A redirect came, and the request goes to where it leads, or, with `nil`, whoever decides has it not followed.
    ///
    /// One that can't be followed is told by the error that the request ends with.
    indirect case redirected(HTTPResponse, to: RequestMessage?)
    /// A challenge came, and the request goes again with an answer of that scheme, `digest` for example; with `nil` there
    /// is no answer to give, or none any more. Told where the session or the request has credentials.
    indirect case challenged(HTTPResponse, answeredBy: String?)
    /// The head of the final response came through the chain.
    case responded(HTTPResponse)
    /// An exchange ended; its `metrics` are what was measured of it. Their `ignoredContentBytes` are known once the content
    /// was read to its end, which may be later.
    case exchangeEnded(ExchangeRecord)
    /// The validators have spoken: `nil` is a yes.
    case validated(ApusError?)
    /// Where the content of the answer shall be was decided.
    case destinationChosen(URL)
    /// The content of the answer comes in: how many bytes were read so far, decoded, and how many there will be where
    /// that is known. Told to monitors that hear progress.
    case contentReceived(Int64, of: Int64?)
    /// The content of the answer is in a file, in its place. Where there are retriers it comes when they have decided.
    case downloaded(URL)
    /// The work on the wire is over, for this attempt: `nil` is success. A handle whose serializers have spoken already is
    /// told of once more where it ends otherwise after all: given up, or by the error of a retrier.
    case completed(ApusError?)
    /// A serializer has made something of the content, or failed.
    case serialized(Duration, ApusError?)
    /// The request has failed for want of a network, and a retrier waits until there is one.
    case waitingForConnectivity
    /// A retrier has the request go again, after a failure or, with `nil`, in spite of a success.
    case retrying(after: Duration, dueTo: ApusError?)
    /// The request is over: all serializers have run, and the completion handlers are called next. Nothing follows but what
    /// was asked of it afterwards. Where a direct call, or a stream, does not
    /// wait for its exchange, because its deadline has come for example, the end of that may follow too.
    case finished
}

/// Who is told each step of each request: for logging, metrics and tests.
///
/// A monitor gets the events of one request in the order in which they happened, on `queue`, which has to be serial.
/// Events that gather while the queue is busy come in one turn of it. A monitor watches and decides nothing; that is
/// for middleware.
public protocol EventMonitor: Sendable {
    /// The serial queue that events come on; `.main` by default. Events that a blocked queue does not take are kept in
    /// memory, without a limit.
    var queue: DispatchQueue { get }

    /// How long events may gather before they come; 5 ms by default. At zero each has a turn of the queue at once, which
    /// costs a busy session more than the requests do.
    var latency: Duration { get }

    /// Whether `contentSent` and `contentReceived` are told; `false` by default. It is asked once, when a session is made.
    ///
    /// Each write and each read is one event at most. Where several of one content have gathered, the last stands for them.
    var hearsProgress: Bool { get }

    /// Told each step.
    ///
    /// - Parameters:
    ///   - request: Which request: the same for all its attempts and hops.
    ///   - event: What happened.
    func request(_ request: RequestID, did event: RequestEvent)

    /// Told once that a session is over, after the last event of its last request; nothing is done by default.
    ///
    /// A request that does not end holds this up, since it may have something to tell yet. One that is made of a session
    /// which is over is refused, and its events come behind this.
    ///
    /// - Parameters:
    ///   - session: Which session.
    ///   - error: `nil` where it was shut down, `sessionGone` where it was let go of without that.
    func session(_ session: SessionID, didEndDueTo error: ApusError?)
}

extension EventMonitor {
    public var queue: DispatchQueue { .main }

    public var latency: Duration { .milliseconds(5) }

    public var hearsProgress: Bool { false }

    public func session(_ session: SessionID, didEndDueTo error: ApusError?) {}
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
