extension Request {
    /// Has redirects decided about by `handler`, in place of what the request's options and its session say.
    ///
    /// ```swift
    /// let request = session.request("https://api.example.org/old").redirect(using: .doNotFollow)
    /// let answer = await request.serializingData().response
    /// print(answer.response?.headerFields[.location] ?? "")
    /// ```
    ///
    /// - Parameter handler: Who decides. Whoever is set last does; once the request is on its way, about the redirects that
    ///   are still to come.
    /// - Returns: The request.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        task.context.tell(Redirector(handler))
        return self
    }
}
