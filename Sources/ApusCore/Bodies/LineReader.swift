/// Reads the lines of a body. It supports one reader at a time.
struct LineReader {
    private let body: ResponseBody
    private var chunks: ResponseBody.Iterator
    private var splitter: LineSplitter
    private var isOver = false

    init(_ body: ResponseBody, limitBytes: Int) {
        self.body = body
        self.chunks = body.makeAsyncIterator()
        self.splitter = LineSplitter(limitBytes: limitBytes)
    }

    /// The number of the line that was returned last, from 1 on.
    var lineNumber: Int { splitter.lineCount }

    /// Returns the next line without its end, or `nil` after the last. A failed body ends without its unfinished line.
    mutating func next() async throws(ApusError) -> BodyChunk? {
        while !isOver {
            if let line = try nextInChunk() { return line }
            guard let chunk = try await nextChunk() else {
                isOver = true
                return try last()
            }
            splitter.add(chunk)
        }
        return nil
    }

    private mutating func nextInChunk() throws(ApusError) -> BodyChunk? {
        do throws(ApusError) { return try splitter.next() } catch { throw refusing(error) }
    }

    private mutating func last() throws(ApusError) -> BodyChunk? {
        do throws(ApusError) { return try splitter.finish() } catch { throw refusing(error) }
    }

    private mutating func nextChunk() async throws(ApusError) -> BodyChunk? {
        do throws(ApusError) {
            return try await chunks.next()
        } catch {
            isOver = true
            throw error
        }
    }

    /// Ends the body early, because one of its lines can't be used. Returns the error, with the request if it is known.
    mutating func refusing(_ error: ApusError) -> ApusError {
        isOver = true
        return body.refusing(error)
    }
}

extension ResponseBody {
    /// Ends the body early. For a streamed response, the error ends its request and gets its details.
    fileprivate func refusing(_ error: ApusError) -> ApusError {
        guard case .stream(let stream) = storage else { return error }
        if let body = stream.source as? SlotHoldingBody { return body.refusing(error) }
        discard()
        return error
    }
}
