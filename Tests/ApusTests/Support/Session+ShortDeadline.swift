import Apus

extension Session {
    /// Returns the head of a response whose body cannot end before the request's deadline. Doubles the deadline,
    /// beginning with `shortest`, until even a busy machine receives the head in time.
    func streamWithShortDeadline(_ url: String, shortest: Duration) async throws(ApusError) -> StreamedResponse {
        var limit = shortest
        while true {
            do throws(ApusError) {
                return try await stream(url, options: [RequestDeadline(limit)])
            } catch {
                guard error.code == .deadlineExceeded, limit < .seconds(10) else { throw error }
                limit *= 2
            }
        }
    }
}
