/// Replaces targets by those over https, for hosts that may not be requested over http.
package protocol TargetUpgrading: Sendable {
    /// Returns the target over https. `nil` if the request may go to its target.
    func upgrade(_ target: TargetURI, _ options: RequestOptions) -> TargetURI?

    /// Returns the error of a request that was upgraded. It has the reason if the server could not be reached over https.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - target: The target over https.
    ///   - options: The options of the request.
    /// - Returns: The error.
    func explained(_ error: ApusError, of target: TargetURI, _ options: RequestOptions) -> ApusError
}
