internal import ApusAlamofire
internal import ApusTestSupport
internal import HTTPTypes
internal import Testing

@Suite struct ApusErrorAFErrorTests {
    private static let predicates: [(code: AFError.Code, holds: @Sendable (AFError) -> Bool)] = [
        (.cancelled, { $0.isExplicitlyCancelledError }),
        (.sessionGone, { $0.isSessionDeinitializedError }),
        (.sessionShutDown, { $0.isSessionInvalidatedError }),
        (.invalidURL, { $0.isInvalidURLError }),
        (.requestBuildingFailed, { $0.isCreateURLRequestError }),
        (.parameterEncodingFailed, { $0.isParameterEncodingError }),
        (.multipartEncodingFailed, { $0.isMultipartEncodingError }),
        (.adaptationFailed, { $0.isRequestAdaptationError }),
        (.retryFailed, { $0.isRequestRetryError }),
        (.missingContentType, { $0.isResponseValidationError }),
        (.decodingFailed, { $0.isResponseSerializationError }),
        (.certificateRejected, { $0.isServerTrustEvaluationError }),
        (.fileUnwritable, { $0.isDownloadedFileMoveError }),
        (.fileExists, { $0.isDownloadedFileMoveError }),
        (.fileInUse, { $0.isDownloadedFileMoveError }),
    ]

    @Test func hasThePredicateOfItsCode() {
        for (code, holds) in Self.predicates {
            let error = AFError(code, "it failed", underlying: Fault())
            #expect(holds(error), "\(code)")
            #expect(error.underlyingError is Fault)
            #expect(!holds(AFError(.poolTimeout, "it is late")), "\(code)")
        }
    }

    @Test func isFoundInAnError() {
        let error: any Error = AFError(.invalidURL, "it has no host")
        #expect(error.asAFError?.code == .invalidURL)
        #expect((Fault() as any Error).asAFError == nil)
        #expect(error.asAFError?.responseContentType == nil)
    }
}
