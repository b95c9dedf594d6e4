package import ApusCore
internal import HTTPTypes

/// Decodes compressed response bodies, even if the request did not ask for compression. To receive the coded bytes, use
/// `ContentDecoding.off`. Compression is requested by `DefaultFieldsMiddleware`, and after a redirect handler by
/// `RedirectMiddleware`.
///
/// Some responses stay unchanged, including their fields: responses without a body (to HEAD, 1xx, 204, 304), partial
/// responses (206), and responses with an unknown coding. All others lose their `Content-Encoding` and
/// `Content-Length`.
///
/// A decoding error is thrown to the reader of the body. The response head is delivered regardless.
///
/// See RFC 9110 §8.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4
package final class DecompressionMiddleware: SynchronousMiddleware {
    private let policy: ContentDecoding
    private let limits: ResponseLimits

    /// - Parameters:
    ///   - policy: The policy for requests that set none.
    ///   - limits: Limits on the expansion of a body and on the number of codings.
    package init(policy: ContentDecoding, limits: ResponseLimits) {
        self.policy = policy
        self.limits = limits
    }

    package func isConcerned(by response: borrowing ResponseMessage) -> Bool {
        !response.isPlain && response.fields.contains(.contentEncoding)
    }

    package func conclude(
        _ response: ResponseMessage,
        to request: RequestMessage,
        context: RequestContext,
        next: Next
    ) async -> ResponseMessage {
        request.method == .head || !isOn(for: request) ? response : await decoded(response)
    }

    private func isOn(for request: RequestMessage) -> Bool {
        (request.options[ContentDecoding.self] ?? policy) == .automatic
    }

    /// Returns the response with its body decoded, or unchanged if it is exempt or its coding is unknown.
    package func decoded(_ coded: ResponseMessage) async -> ResponseMessage {
        guard coded.status.code >= 200, ![204, 206, 304].contains(coded.status.code),
            let codings = ContentCodings(coded.fields)
        else { return coded }
        var response = coded
        guard codings.applied.count <= limits.stackedCodings else {
            response.body = refused(coded.body, codings)
            return response
        }
        response.fields[.contentEncoding] = nil
        // Without a coding ("identity" alone) the length is still correct.
        guard !codings.applied.isEmpty else { return response }
        coded.record.noteDecoding(of: coded.fields.declaredLength)
        response.fields[.contentLength] = nil
        // It is that of the coded body.
        response.fields[.reprDigest] = nil
        switch coded.body.storage {
        case .empty:
            break
        case .whole(let chunk):
            response.body = await decoded(chunk, codings, coded.record)
        case .stream(let stream):
            response.body = .stream(DecodedContent(stream, codings: codings, limits: limits, record: coded.record))
        }
        return response
    }

    private func decoded(
        _ chunk: BodyChunk,
        _ codings: ContentCodings,
        _ record: ExchangeRecord
    ) async -> ResponseBody {
        guard chunk.count > ContentDecoder.longBytes || codings.applied.count > 1 else {
            return DecodedContent.decode(chunk, codings: codings, limits: limits, record: record)
        }
        return await offEventLoop { [limits] in
            DecodedContent.decode(chunk, codings: codings, limits: limits, record: record)
        }
    }

    private func refused(_ body: ResponseBody, _ codings: ContentCodings) -> ResponseBody {
        let failure = ApusError(
            .contentCodingUnsupported,
            "it has \(codings.applied.count) stacked content codings, but only \(limits.stackedCodings) are allowed",
            hint: "raise limits.stackedCodings to accept it"
        )
        switch body.storage {
        case .empty: return body
        case .whole: return .stream(DecodedContent(nil, failure: failure))
        case .stream(let stream): return .stream(DecodedContent(stream, failure: failure))
        }
    }
}
