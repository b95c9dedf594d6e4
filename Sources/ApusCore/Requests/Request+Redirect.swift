extension Request {
    /// Sets the handler of redirects for this request, in place of that of its options and its session.
    ///
    /// ```swift
    /// let request = session.request("https://api.example.org/old").redirect(using: .doNotFollow)
    /// let response = await request.serializingData().response
    /// print(response.response?.headerFields[.location] ?? "")
    /// ```
    ///
    /// - Parameter handler: The redirect handler. The last one that is set decides. If it is set while the request is
    ///   running, it decides about later redirects.
    /// - Returns: The request.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        task.context.override(Redirector(handler))
        return self
    }
}
