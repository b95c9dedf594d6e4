internal import Apus
internal import HTTPTypes

/// The response of one run: one whose body is still being received, or that of a whole upload.
struct ReceivedResponse: Sendable {
    let status: HTTPResponse.Status
    let fields: HTTPFields
    /// The target of the response: after redirects, the last one.
    let target: TargetURI
    let body: ResponseBody
    private let recorded: @Sendable () -> RequestMetrics

    /// Creates the response to a request.
    init(_ response: StreamedResponse) {
        status = response.status
        fields = response.fields
        target = response.target
        body = response.body
        recorded = { response.metrics }
    }

    /// Creates the response to an upload that consists of several requests.
    init(_ response: Response) {
        status = response.status
        fields = response.fields
        target = response.target
        body = .whole(BodyChunk(response.data))
        recorded = { response.metrics }
    }

    /// The metrics recorded so far.
    var metrics: RequestMetrics { recorded() }

    /// The declared length of the body in bytes, or `nil` if none is declared.
    var expectedLength: Int64? { fields.declaredLength }
}
