internal import ApusCore
internal import HTTPTypes

/// The values of a metric's dimensions. Dimensions that do not apply are empty.
struct MetricKey: Sendable, Hashable {
    private(set) var host = ""
    private(set) var method = ""
    private(set) var status = ""
    private(set) var error = ""

    /// The value for all hosts beyond the limit.
    static let otherHost = "other"
    /// The value for unknown methods, as defined by OpenTelemetry.
    static let otherMethod = "_OTHER"

    private static let methods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    init(host: String = "", error: String = "") {
        self.host = host
        self.error = error
    }

    init(host: String, method: HTTPRequest.Method) {
        self.host = host
        self.method = Self.methods.contains(method.rawValue) ? method.rawValue : Self.otherMethod
    }

    func with(status: HTTPResponse.Status? = nil, error: String) -> MetricKey {
        var key = self
        if let status { key.status = "\(status.code / 100)xx" }
        key.error = error
        return key
    }

    /// The same key with the host `other`.
    var ofOtherHost: MetricKey {
        var key = self
        key.host = Self.otherHost
        return key
    }

    typealias Dimensions = [(String, String)]

    /// The host alone.
    var place: Dimensions { [("server.address", host)] }
    /// Host and method.
    var route: Dimensions { place + [("http.request.method", method)] }
    /// Host, method and error.
    var outcome: Dimensions { route + [("error.type", error)] }
    /// Host, method, status and error.
    var exchange: Dimensions { route + [("http.response.status_code", status), ("error.type", error)] }
}

/// The hosts with metrics of their own: the first ones, up to a limit.
final class HostNames: Sendable {
    private let limit: Int
    private let known = Lock<Set<String>>([])

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the host, or `other` if it came after the limit was reached.
    subscript(host: String) -> String {
        known.withLock { known in
            if known.contains(host) { return host }
            guard known.count < limit else { return MetricKey.otherHost }
            known.insert(host)
            return host
        }
    }
}
