public import Foundation

extension RequestBody {
    /// The limit of `data(upTo:)`, unless another is given: 16 MiB.
    public static let defaultDataLimit = 16 << 20

    /// Returns the bytes of the body: for a test that checks a recorded request, or for a transport or a middleware of
    /// your own.
    ///
    /// ```swift
    /// let sent = try JSONDecoder().decode(User.self, from: try await transport.requests[0].body.data())
    /// ```
    ///
    /// A body that can be read only once can't be sent after that.
    ///
    /// - Parameter limitBytes: The maximum number of bytes. Default: `defaultDataLimit`.
    /// - Returns: The bytes. Empty without a body.
    /// - Throws: `ApusError`: `bodyTooLarge` beyond the limit, `bodyNotReplayable` if the body was read and can be read
    ///   only once, `fileUnreadable`, or `requestBodyFailed` with the error of its stream.
    public func data(upTo limitBytes: Int = defaultDataLimit) async throws(ApusError) -> Data {
        do {
            var data = Data()
            let reader = try await open()
            while let chunk = try await reader.next() {
                guard data.count + chunk.count <= limitBytes else {
                    throw ApusError(.bodyTooLarge, "the request body has more than \(limitBytes) bytes")
                }
                data.append(Data(chunk))
            }
            return data
        } catch {
            throw ApusError(wrapping: error, as: .requestBodyFailed)
        }
    }
}
