internal import HTTPTypes

/// A file whose response head has arrived, and the use of its body.
struct ArrivingFile: Sendable {
    /// The request without the fields for a range.
    let request: RequestMessage
    let head: ResponseHead
    let body: ResponseBody
    /// The record of the exchange with the response.
    let exchange: ExchangeRecord
    /// The record of a part that begins with the body.
    let record: PartialFileRecord
    /// The range that was requested. `nil` without one.
    let resumption: RangeResumption?
    let verdict: RangeResumption.Verdict
    /// Whether other exchanges can share the connection.
    let isMultiplexed: Bool

    /// Whether the part has bytes that belong to the same representation as the body.
    var continuesPart: Bool {
        guard case .continues = verdict, let resumption else { return false }
        return !resumption.isFresh
    }

    /// The validator of the representation, if a range of it can be requested.
    var validator: EntityValidator? { resumption?.validator ?? record.validator }
}
