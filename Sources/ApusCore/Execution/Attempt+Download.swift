internal import Foundation
internal import HTTPTypes

/// An attempt at a download.
extension Attempt {
    /// Requests the file, or the rest of it, and writes the body to it.
    ///
    /// If the server has another representation by now, the file begins anew. If a response to a range is of no use, or
    /// if a validator rejects it, the request is sent again without a range, once.
    @concurrent
    func run(
        _ request: RequestMessage,
        into download: PartialDownload,
        because cause: ExchangeCause
    ) async throws(ApusError) -> CollectedResponse {
        do {
            if let handle, handle.isSuspended { try await handle.passGate() }
            var resumption: RangeResumption?
            if canRequestRest(request) {
                let url = url(of: request)
                let counters = core.environment.counters
                resumption = try await offEventLoop { () throws(ApusError) in
                    try download.resumption(of: url, counters: counters)
                }
            }
            if resumption == nil, segments(for: request) != nil { resumption = .inSegments }
            var cause = cause
            while true {
                let response = try await core.chain(
                    prepared(request, download, resumption),
                    context: context,
                    credential: credential,
                    because: cause
                )
                let verdict = verdict(on: response, resumption)
                if verdict != .restarts {
                    let refusal = await validate(copy response, request)
                    // The whole file may be acceptable: it has another status, and all fields.
                    let isTriedAgain = if case .continues = verdict { refusal?.phase == .validate } else { false }
                    if !isTriedAgain {
                        let collected = try await collect(
                            response,
                            refusal,
                            request,
                            into: download,
                            resumption,
                            verdict
                        )
                        if let collected { return collected }
                    }
                }
                response.body.discard()
                resumption = nil
                cause = .restart
            }
        } catch {
            throw ApusError(wrapping: error, as: .middlewareFailed).about(
                method: request.method,
                target: request.target
            )
        }
    }

    /// Returns whether a request for the rest of the file may take the place of the request. Its own range stays, and a
    /// body that can be read once does not allow a second request.
    private func canRequestRest(_ request: RequestMessage) -> Bool {
        request.method == .get && !request.fields.contains(.range) && !request.body.isReadOnce
    }

    /// Returns the URL that identifies the file for later downloads: that of the request as it was made, if known.
    /// Adapters change it again, and may add secrets.
    private func url(of request: RequestMessage) -> String {
        handle?.source.message?.target.uri ?? request.target.uri
    }

    private func prepared(
        _ request: RequestMessage,
        _ download: PartialDownload,
        _ resumption: RangeResumption?
    ) -> RequestMessage {
        var request = request
        resumption?.prepare(&request.fields)
        // A coded body can't be continued, and many servers have no strong validator for it.
        if request.method == .get, download.isResumable, !request.fields.contains(.acceptEncoding) {
            request.fields[.acceptEncoding] = "identity"
        }
        return request
    }

    /// Returns the use of a response to a request that was prepared for a part, if there is one.
    func verdict(on response: ResponseMessage, _ resumption: RangeResumption?) -> RangeResumption.Verdict {
        guard let resumption else { return .replaces }
        let verdict = resumption.verdict(on: response.status, response.fields)
        // The length of the body is that of its range.
        if case .continues(let start, _) = verdict, let end = RangeResumption.end(of: response.fields),
            let length = response.fields.declaredLength, length != end - start
        {
            return .restarts
        }
        return verdict
    }

    /// Returns the response with the complete file. `nil` if the file has to be requested without a range.
    private func collect(
        _ response: consuming ResponseMessage,
        _ refusal: ApusError?,
        _ request: RequestMessage,
        into download: PartialDownload,
        _ resumption: RangeResumption?,
        _ verdict: RangeResumption.Verdict
    ) async throws -> CollectedResponse? {
        let head = ResponseHead(status: response.status, fields: response.fields)
        let (target, body, exchange) = (response.target, response.body, response.record)
        if let refusal {
            let counted = context.counted(body, of: exchange, expecting: head.fields.declaredLength)
            throw await failure(refusal, head, counted, request.options)
        }
        let arriving = ArrivingFile(
            request: request,
            head: head,
            body: body,
            exchange: exchange,
            record: record(of: head, to: request, verdict, isDecoded: exchange.isDecoded),
            resumption: resumption,
            verdict: verdict,
            isMultiplexed: exchange.metrics.networkProtocol == "h2"
        )
        do {
            let part = try await part(for: head.response, request, from: target, of: download)
            guard let file = try await write(arriving, to: part, of: download) else { return nil }
            return CollectedResponse(head: head, content: .file(file), trailers: body.trailers, target: target)
        } catch {
            body.discard()
            let failure = ApusError.wrapping(error) {
                ApusError(.fileUnwritable, "its destination: \(Redaction.text(String(describing: $0)))", underlying: $0)
            }
            // A refused segment has a response of its own.
            throw failure.with(response: failure.response ?? head.response)
        }
    }

    /// Returns the properties of the body for the request that continues it, without its length. They have no validator
    /// if none can: the body does not begin a representation, or it has a coding, so that a range counts other bytes.
    private func record(
        of head: ResponseHead,
        to request: RequestMessage,
        _ verdict: RangeResumption.Verdict,
        isDecoded: Bool
    ) -> PartialFileRecord {
        let isPart = if case .continues = verdict { true } else { head.status != .partialContent }
        let isWhole = request.method == .get && head.status.kind == .successful && isPart
        let isPlain = !isDecoded && !RangeResumption.isCoded(head.fields)
        let validator = isWhole && isPlain ? EntityValidator(in: head.fields) : nil
        return PartialFileRecord(url: url(of: request), validator: validator, total: nil)
    }

    /// Returns the part at the destination that is chosen for the response.
    private func part(
        for response: HTTPResponse,
        _ request: RequestMessage,
        from target: TargetURI,
        of download: PartialDownload
    ) async throws -> PartialFile {
        let counters = core.environment.counters
        return try await offEventLoop { [context] in
            var redirected = request
            redirected.target = target
            let (url, options) = try download.destination.choose(redirected, response)
            context.post(.destinationChosen(url))
            return try download.take(at: url, options, counters)
        }
    }

    /// Writes the body to the part, verifies its digest, and validates the file. Leaves the part to the next attempt if
    /// that can continue it, and removes it otherwise. Returns `nil` if the file has to be requested without a range.
    private func write(
        _ arriving: ArrivingFile,
        to part: PartialFile,
        of download: PartialDownload
    ) async throws(ApusError) -> CollectedFile? {
        let (request, head) = (arriving.request, arriving.head)
        do throws(ApusError) {
            let check = DigestCheck(for: request.options, isWhole(head, request, arriving.verdict) ? head.fields : [:])
            if let plan = segmentPlan(arriving, part) {
                guard try await fetch(plan, of: arriving, into: part) else {
                    // The server contradicts itself, so none of its bytes are trusted.
                    try await part.begin(arriving.record)
                    download.hold(part)
                    return nil
                }
                // Segments arrive in any order.
                try await check?.update(from: part)
            } else {
                try await receive(arriving, into: part, check)
            }
            do throws(ApusError) {
                try check?.verify(part.destination)
                let file = CollectedFile(part)
                if validation.hasBodyStage { try await validate(.file(file), head.response, request) }
                // The last check for cancellation. Later cancellations are left to the caller.
                if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
                try await part.synchronize()
                return file
            } catch {
                if error.phase != .cancelled { await part.discard() }
                throw error
            }
        } catch {
            if !part.isClosed { download.hold(part) }
            throw error
        }
    }

    /// Writes one body to the part: from its beginning, or behind the bytes that it continues.
    private func receive(
        _ arriving: ArrivingFile,
        into part: PartialFile,
        _ check: DigestCheck?
    ) async throws(ApusError) {
        let (head, exchange) = (arriving.head, arriving.exchange)
        let body = context.counted(arriving.body, of: exchange, expecting: head.fields.declaredLength)
        var total = expectedLength(body, head)
        var offset: Int64 = 0
        if case .continues(let start, let whole) = arriving.verdict { (offset, total) = (start, whole) }
        if arriving.continuesPart {
            try await part.resume(at: offset)
        } else {
            var record = arriving.record
            record.total = total
            try await part.begin(record)
        }
        let content = handle?.suspendable(body, of: exchange, from: offset, expecting: total) ?? body
        try await check?.update(from: part)
        if case .continues = arriving.verdict {
            try await append(content, from: offset, of: total, head, to: part, check)
        } else {
            var iterator = content.makeAsyncIterator()
            _ = try await part.append(digest: check?.update) { () async throws(ApusError) in
                try await iterator.next()
            }
        }
    }

    /// Returns whether the file has the whole representation at the end, whose digest the response may have.
    private func isWhole(
        _ head: ResponseHead,
        _ request: RequestMessage,
        _ verdict: RangeResumption.Verdict
    ) -> Bool {
        if case .continues = verdict { return true }
        return request.method != .head && ![204, 205, 206].contains(head.status.code)
    }

    /// Appends the rest of a file. Removes the part if there are more bytes than the response has declared: it is not
    /// known which of them belong to the file.
    private func append(
        _ content: ResponseBody,
        from offset: Int64,
        of total: Int64?,
        _ head: ResponseHead,
        to part: PartialFile,
        _ check: DigestCheck?
    ) async throws(ApusError) {
        let end = RangeResumption.end(of: head.fields) ?? .max
        var iterator = content.makeAsyncIterator()
        var (missing, isTooLong) = (end - offset, false)
        do throws(ApusError) {
            _ = try await part.append(digest: check?.update) { () async throws(ApusError) in
                let chunk = try await iterator.next()
                missing -= Int64(chunk?.count ?? 0)
                guard missing < 0 else { return chunk }
                isTooLong = true
                throw ApusError(.malformedResponse, "it has more bytes than its Content-Range")
            }
        } catch {
            if isTooLong { await part.discard() }
            throw error
        }
        // A server may answer with less than the rest. The next attempt continues there.
        let size = total ?? end
        guard part.byteCount >= size else {
            throw ApusError(.connectionClosed, "the server sent \(part.byteCount) of \(size) bytes")
        }
    }
}
