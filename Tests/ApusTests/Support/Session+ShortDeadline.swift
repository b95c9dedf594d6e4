import Apus

extension Session {
    /// The head of an answer whose content cannot end within the deadline of its request: the shortest deadline,
    /// beginning with `shortest`, that a busy machine leaves time enough for the head.
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
