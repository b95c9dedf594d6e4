/// The stops, in order. The last one closes the session that the others share.
enum Itinerary {
    static let stops: [Stop] = [
        Stop("GET, validated", Asking.get),
        Stop("a typed answer", Asking.typed),
        Stop("a handle with callbacks", Asking.callbacks),
        Stop("a refusal that says why", Asking.refusal),
        Stop("POST of JSON", Asking.post),

        Stop("a form", Values.form),
        Stop("values as JSON", Values.json),
        Stop("multipart from disk", Values.multipart),
        Stop("a service's own refusal", Values.explanation),
        Stop("XML", Values.xml),
        Stop("a property list", Values.propertyList),
        Stop("a compressed request", Values.compressed),

        Stop("upload of a file", Contents.upload),
        Stop("a stream that is held back", Contents.backPressure),
        Stop("download to a file", Contents.download),
        Stop("gzip and deflate", Contents.codings),
        Stop("a gzip bomb", Contents.bomb),

        Stop("redirects", Exchanges.redirects),
        Stop("a redirect to elsewhere", Exchanges.credentials),
        Stop("103 (Early Hints), trailers", Exchanges.hintsAndTrailers),
        Stop("Expect: 100-continue", Exchanges.expectContinue),
        Stop("a dead connection", Exchanges.resend),

        Stop("TLS with one's own authority", Faults.ownAuthority),
        Stop("TLS that deserves no trust", Faults.untrusted),
        Stop("a deadline, a dripping body", Faults.deadline),
        Stop("nobody there", Faults.nobodyThere),
        Stop("cancelling", Faults.cancelling),

        Stop("a server that is busy", Trouble.busy),
        Stop("a server that is down", Trouble.down),
        Stop("50 requests, one refresh", Proofs.token),
        Stop("a Digest challenge", Proofs.digest),
        Stop("cookies through a redirect", Proofs.cookies),
        Stop("an archive without secrets", Archives.har),

        Stop("200 at once", Crowds.twoHundred),
        Stop("middleware", Crowds.middleware),
        Stop("what a monitor hears", Crowds.monitor),
        Stop("a transport without sockets", Crowds.mock),
        Stop("metrics of a hop", Crowds.metrics),
        Stop("graceful shutdown", Crowds.shutdown),
    ]
}
