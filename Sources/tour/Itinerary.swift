/// The stops, in order. The last one closes the session that the others share.
enum Itinerary {
    static let stops: [Stop] = [
        Stop("GET, validated", Asking.get),
        Stop("a typed response", Asking.typed),
        Stop("a handle with callbacks", Asking.callbacks),
        Stop("an error with an explanation", Asking.refusal),
        Stop("POST of JSON", Asking.post),

        Stop("a form", Values.form),
        Stop("values as JSON", Values.json),
        Stop("multipart from disk", Values.multipart),
        Stop("a service's own error", Values.explanation),
        Stop("XML", Values.xml),
        Stop("a property list", Values.propertyList),
        Stop("a compressed request", Values.compressed),

        Stop("upload of a file", Contents.upload),
        Stop("back-pressure on a stream", Contents.backPressure),
        Stop("download to a file", Contents.download),
        Stop("gzip and deflate", Contents.codings),
        Stop("a gzip bomb", Contents.bomb),

        Stop("redirects", Exchanges.redirects),
        Stop("a redirect to another origin", Exchanges.credentials),
        Stop("103 (Early Hints), trailers", Exchanges.hintsAndTrailers),
        Stop("Expect: 100-continue", Exchanges.expectContinue),
        Stop("a dead connection", Exchanges.resend),

        Stop("TLS with a private authority", Faults.ownAuthority),
        Stop("TLS without a trusted server", Faults.untrusted),
        Stop("a deadline for a slow body", Faults.deadline),
        Stop("no server listening", Faults.nobodyThere),
        Stop("cancelling", Faults.cancelling),

        Stop("a busy server", Trouble.busy),
        Stop("a failing server", Trouble.down),
        Stop("50 requests, one refresh", Proofs.token),
        Stop("a Digest challenge", Proofs.digest),
        Stop("cookies through a redirect", Proofs.cookies),
        Stop("an archive without secrets", Archives.har),

        Stop("200 at once", Crowds.twoHundred),
        Stop("middleware", Crowds.middleware),
        Stop("the events of a monitor", Crowds.monitor),
        Stop("a transport without sockets", Crowds.mock),
        Stop("metrics of an exchange", Crowds.metrics),
        Stop("graceful shutdown", Crowds.shutdown),
    ]
}
