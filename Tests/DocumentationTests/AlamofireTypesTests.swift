internal import Testing

/// The article on Alamofire covers all of its public types.
@Suite struct AlamofireTypesTests {
    /// The public types of Alamofire 5.12, in the order of its documentation. Nested types have their full names.
    private static let names = """
        Adapter AlamofireNotifications AuthenticationInterceptor AuthenticationInterceptor.RefreshWindow
        ClosureEventMonitor CompositeEventMonitor CompositeTrustEvaluator ConnectionLostRetryPolicy DataRequest
        DataResponseSerializer DataStreamRequest DataStreamRequest.Stream DataStreamRequest.Event
        DataStreamRequest.Completion DataStreamRequest.CancellationToken DataStreamRequest.Handler
        DecodableResponseSerializer DefaultTrustEvaluator DisabledTrustEvaluator DownloadRequest
        DownloadRequest.Options DownloadRequest.Downloadable DownloadRequest.Destination Interceptor
        JSONParameterEncoder JSONResponseSerializer MultipartFormData NetworkReachabilityManager
        NetworkReachabilityManager.NetworkReachabilityStatus NetworkReachabilityManager.ConnectionType
        NetworkReachabilityManager.Listener OfflineRetrier PinnedCertificatesTrustEvaluator
        PublicKeysTrustEvaluator Request Request.State Request.ResponseDisposition Request.ProgressHandler
        Request.ValidationResult Retrier RetryPolicy RevocationTrustEvaluator RevocationTrustEvaluator.Options
        ServerTrustManager Session Session.RequestModifier Session.RequestSetup SessionDelegate
        StringResponseSerializer URLEncodedFormEncoder URLEncodedFormEncoder.ArrayEncoding
        URLEncodedFormEncoder.BoolEncoding URLEncodedFormEncoder.DataEncoding URLEncodedFormEncoder.DateEncoding
        URLEncodedFormEncoder.KeyEncoding URLEncodedFormEncoder.KeyPathEncoding URLEncodedFormEncoder.NilEncoding
        URLEncodedFormEncoder.SpaceEncoding URLEncodedFormEncoder.Error URLEncodedFormParameterEncoder
        URLEncodedFormParameterEncoder.Destination UploadRequest UploadRequest.Uploadable WebSocketRequest
        AF AFError AFError.MultipartEncodingFailureReason AFError.UnexpectedInputStreamLength
        AFError.ParameterEncodingFailureReason AFError.ParameterEncoderFailureReason
        AFError.ResponseValidationFailureReason AFError.ResponseSerializationFailureReason
        AFError.ServerTrustFailureReason AFError.URLRequestValidationFailureReason AFInfo AuthenticationError
        RetryResult AlamofireExtended AuthenticationCredential Authenticator CachedResponseHandler DataDecoder
        DataPreprocessor DataResponseSerializerProtocol DataStreamSerializer DownloadResponseSerializerProtocol
        EmptyResponse EventMonitor ParameterEncoder ParameterEncoding RedirectHandler RequestAdapter
        RequestDelegate RequestInterceptor RequestRetrier ResponseSerializer ServerTrustEvaluating URLConvertible
        URLRequestConvertible UploadConvertible UploadableConvertible WebSocketMessageSerializer
        AlamofireExtension DataResponse DataResponsePublisher DataStreamPublisher DataStreamTask DataTask
        DecodableStreamSerializer DecodableWebSocketMessageDecoder DecodableWebSocketMessageDecoder.Error
        DeflateRequestCompressor DeflateRequestCompressor.DuplicateHeaderBehavior
        DeflateRequestCompressor.DuplicateHeaderError DownloadResponse DownloadResponsePublisher DownloadTask
        Empty GoogleXSSIPreprocessor HTTPHeader HTTPHeaders HTTPMethod JSONEncoding JSONEncoding.Error
        PassthroughPreprocessor PassthroughStreamSerializer Redirector Redirector.Behavior RequestAdapterState
        ResponseCacher ResponseCacher.Behavior StreamOf StreamOf.Iterator StringStreamSerializer URLEncoding
        URLEncoding.Destination URLEncoding.ArrayEncoding URLEncoding.BoolEncoding URLResponseSerializer
        WebSocketTask AFDataResponse AFDownloadResponse AFResult AdaptHandler DisabledEvaluator Parameters
        RetryHandler
        AuthenticationInterceptor.Credential DataRequest.Validation DataStreamRequest.Validation
        DataStreamTask.Stream DownloadRequest.Validation StreamOf.BufferingPolicy WebSocketRequest.Configuration
        WebSocketRequest.Event WebSocketTask.EventStreamOf
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test func eachHasARow() throws {
        let cells = try CodeBlock.firstCells(inDocument: "Sources/Apus/Apus.docc/MigratingFromAlamofire.md")
        let rows = Set(cells.flatMap(\.lines))
        for name in Self.names { #expect(rows.contains(name), "no row is about \(name)") }
    }
}
