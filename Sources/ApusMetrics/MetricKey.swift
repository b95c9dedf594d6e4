internal import ApusCore
internal import HTTPTypes

/// The values of a metric's dimensions; those that it does not have are empty.
struct MetricKey: Sendable, Hashable {
    private(set) var host = ""
    private(set) var method = ""
    private(set) var status = ""
    private(set) var error = ""

    /// What stands for the hosts that are not told apart.
    static let otherHost = "other"
    /// What stands for the methods that are not told apart: OpenTelemetry's word.
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

    /// The same, its host not told apart from others.
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

/// The hosts that are told apart: the first that came, up to a limit.
final class HostNames: Sendable {
    private let limit: Int
    private let known = Lock<Set<String>>([])

    init(limit: Int) {
        self.limit = limit
    }

    /// The host itself, or what stands for those that came too late.
    subscript(host: String) -> String {
        known.withLock { known in
            if known.contains(host) { return host }
            guard known.count < limit else { return MetricKey.otherHost }
            known.insert(host)
            return host
        }
    }
}
