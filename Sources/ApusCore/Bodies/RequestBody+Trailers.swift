public import HTTPTypes

extension RequestBody {
    /// Returns the body with trailer fields after it, for example a count or a digest of the whole body.
    ///
    /// ```swift
    /// let records = Records()
    /// let chunks = AsyncStream<BodyChunk>(unfolding: { await records.next() })
    /// let body = RequestBody.once(chunks).withTrailers { ["X-Record-Count": "\(await records.count)"] }
    /// let response = try await session.post(
    ///     "https://api.example.org/records",
    ///     fields: [.trailer: "X-Record-Count"],
    ///     body: body
    /// )
    /// ```
    ///
    /// Over HTTP/1.1 the body is sent chunked, even if its length is known. Over HTTP/2 a known length is still sent as
    /// `Content-Length`. A request without a body gets an empty one. Trailers that the body already has are replaced.
    ///
    /// Many servers drop trailer fields that the head of the request does not announce in a `Trailer` field. The names
    /// that a closure returns are not known in advance, so the caller sets that field.
    ///
    /// If the closure throws, the request fails with the code `requestBodyFailed` and the closure's error. It fails
    /// with `invalidField` for an invalid name or value, and for a field that is only allowed in a head: one that
    /// frames, routes or describes the message, makes it conditional, or has credentials. In both cases the body was
    /// sent, but not its end, so that the server gets no complete request.
    ///
    /// - Parameter make: The closure that makes the fields. It is called once each time that the body is sent, after
    ///   the last byte was read, and off the event loop. If the request ends before the closure returns, its task is
    ///   cancelled.
    /// - Returns: The body. Its length, and whether it can be sent again, do not change.
    ///
    /// See RFC 9110 §6.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-6.5
    public func withTrailers(_ make: @escaping @Sendable () async throws -> RequestFields) -> RequestBody {
        with(TrailerMaker(make))
    }

    /// Returns the body with constant trailer fields after it.
    ///
    /// A request without a `Trailer` field gets one that announces their names. An invalid name or value fails the
    /// request before it is sent. The other rules are those of a closure.
    ///
    /// - Parameter fields: The trailer fields.
    /// - Returns: The body. Its length, and whether it can be sent again, do not change.
    public func withTrailers(_ fields: RequestFields) -> RequestBody {
        with(TrailerMaker(fields))
    }

    /// Returns the trailer fields. Each call makes them anew, so read the whole body first.
    ///
    /// For custom transports, and for tests that read recorded requests. The names and values are checked, but fields
    /// that are only allowed in a head are rejected only when the body is sent.
    ///
    /// - Returns: The fields. `nil` for a body without trailers.
    /// - Throws: `ApusError`: `invalidField`, or `requestBodyFailed` with the error of the closure that makes them.
    public func trailers() async throws(ApusError) -> HTTPFields? {
        try await trailerMaker?.fields()
    }

    /// The source of the trailer fields. `nil` for a body without trailers.
    package var trailerMaker: TrailerMaker? {
        if case .trailed(_, let trailers) = storage { trailers } else { nil }
    }

    /// Whether trailer fields follow the body.
    package var hasTrailers: Bool {
        if case .trailed = storage { true } else { false }
    }

    /// Returns the body with these trailer fields in place of its own. With `nil`, the body is unchanged.
    package func with(_ trailers: TrailerMaker?) -> RequestBody {
        guard let trailers else { return self }
        return switch storage {
        case .none: RequestBody(.trailed(.chunk(BodyChunk([])), trailers))
        case .trailed(let body, _): RequestBody(.trailed(body, trailers))
        case .bytes, .file, .replayable, .once: RequestBody(.trailed(self, trailers))
        }
    }
}
