internal import HTTPTypes

/// The observers of the responses of a request.
extension RequestTask {
    /// Returns the heads of the responses from now on, as a sequence that ends with the request.
    func responses(
        _ policy: AsyncStream<HTTPResponse>.Continuation.BufferingPolicy
    ) -> AsyncStream<HTTPResponse> {
        let (stream, continuation) = AsyncStream.makeStream(of: HTTPResponse.self, bufferingPolicy: policy)
        let observer = ResponseObserver(continuation)
        let isOver = state.withLock { state -> Bool in
            // After the end, the observer would not be released before the handle.
            guard !state.transfers.isOver else { return true }
            state.validation.append(observer)
            return false
        }
        if isOver { observer.end() }
        return stream
    }

    /// Ends the sequences of a request that has ended, and its progress.
    func endObservers(of validation: Validation, _ transfers: Transfers) {
        validation.endObservers()
        end(transfers)
    }
}
