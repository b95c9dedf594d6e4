internal import HTTPTypes

/// An attempt at a download whose file arrives in segments.
extension Attempt {
    /// Returns the option of a request that may be divided into segments.
    func segments(for request: RequestMessage) -> DownloadSegments? {
        guard !request.options.isEmpty, let option = request.options[DownloadSegments.self], option.count > 1,
            request.method == .get, request.body.isNone, !request.fields.contains(.range)
        else { return nil }
        return option
    }

    /// Returns the segments to fetch. `nil` for a file that the body completes.
    ///
    /// A part that has segments is completed in the same way without the option, one segment after the other.
    func segmentPlan(_ arriving: ArrivingFile, _ part: PartialFile) -> SegmentPlan? {
        guard case .continues(let start, let total?) = arriving.verdict, arriving.validator != nil,
            let end = RangeResumption.end(of: arriving.head.fields)
        else { return nil }
        let option = segments(for: arriving.request)
        let connectionCount =
            arriving.isMultiplexed
            ? DownloadSegments.maximumCount : core.configuration.pool.connectionsPerOrigin
        let plan = SegmentPlan(
            total: total,
            received: arriving.continuesPart ? part.received : ReceivedRanges(),
            count: min(option?.count ?? 1, connectionCount),
            minimumBytes: Int64((option ?? DownloadSegments()).minimumBytes)
        )
        guard let first = plan.segments.first, first.lowerBound == start else { return nil }
        let isShort = !arriving.continuesPart && end < total
        return plan.segments.count > 1 || first.upperBound < total || isShort ? plan : nil
    }

    /// Fetches the segments of a file, the first of which has begun to arrive.
    ///
    /// - Returns: Whether the part is complete. If not, the file has to be requested without a range.
    func fetch(
        _ plan: SegmentPlan,
        of arriving: ArrivingFile,
        into part: PartialFile
    ) async throws(ApusError) -> Bool {
        guard let validator = arriving.validator, let end = RangeResumption.end(of: arriving.head.fields) else {
            return false
        }
        if arriving.continuesPart {
            try await part.divide()
        } else {
            var record = arriving.record
            (record.total, record.segments) = (plan.total, ReceivedRanges())
            try await part.begin(record)
        }
        let segments = SegmentedAttempt(self, arriving.request, plan, validator, into: part)
        return try await segments.run(beginningWith: SegmentedAttempt.Source(body: arriving.body, end: end))
    }
}
