/// The stops, in order. The last one closes the session that the others share.
enum Itinerary {
    static let stops: [Stop] = [
        Stop("GET, validated", Requests.get),
        Stop("a typed response", Requests.typed),
        Stop("a handle with callbacks", Requests.callbacks),
        Stop("an error with an explanation", Requests.refusal),
        Stop("POST of JSON", Requests.post),

        Stop("a form", Values.form),
        Stop("values as JSON", Values.json),
        Stop("multipart from disk", Values.multipart),
        Stop("a service's own error", Values.explanation),
        Stop("XML", Values.xml),
        Stop("a property list", Values.propertyList),
        Stop("a compressed request", Values.compressed),

        Stop("a base URL, fields as strings", Lists.base),
        Stop("the pages of a list", Lists.pages),
        Stop("a stream of lines", Lists.lines),
        Stop("identical requests", Lists.shared),

        Stop("upload with progress", Transfers.upload),
        Stop("back-pressure on a stream", Transfers.backPressure),
        Stop("download to a file", Transfers.download),
        Stop("a download cut twice", Downloads.resumed),
        Stop("a queue that is killed", Downloads.killed),
        Stop("four segments of a file", Downloads.segments),
        Stop("gzip and deflate", Transfers.codings),
        Stop("a gzip bomb", Transfers.bomb),

        Stop("redirects", Exchanges.redirects),
        Stop("a redirect to another origin", Exchanges.credentials),
        Stop("103 (Early Hints), trailers", Exchanges.hintsAndTrailers),
        Stop("Expect: 100-continue", Exchanges.expectContinue),
        Stop("a dead connection", Exchanges.resend),

        Stop("TLS with a private authority", Failures.ownAuthority),
        Stop("TLS without a trusted server", Failures.untrusted),
        Stop("a pinned key, an impostor", Trust.pinned),
        Stop("a client certificate", Trust.clientCertificate),
        Stop("a proxy", Networks.proxy),
        Stop("a guarded address", Networks.guarded),
        Stop("a deadline for a slow body", Failures.deadline),
        Stop("no server listening", Failures.noServer),
        Stop("cancelling", Failures.cancelling),

        Stop("a busy server", Resilience.busy),
        Stop("a failing server", Resilience.down),
        Stop("50 requests, one refresh", Authentication.token),
        Stop("a Digest challenge", Authentication.digest),
        Stop("cookies through a redirect", Authentication.cookies),
        Stop("an archive without secrets", Archives.har),

        Stop("200 at once", Sessions.twoHundred),
        Stop("100 requests, one connection", Protocols.oneConnection),
        Stop("connections in advance", Sessions.prepared),
        Stop("middleware", Sessions.middleware),
        Stop("the events of a monitor", Sessions.monitor),
        Stop("a transport without sockets", Sessions.mock),
        Stop("metrics of an exchange", Sessions.metrics),
        Stop("graceful shutdown", Sessions.shutdown),
    ]
}
