internal import Apus
internal import Foundation
internal import HTTPTypes
internal import Testing

/// Counts bytes.
private struct ByteCount: ResponseSerializer {
    func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> Int { data.count }
}

/// Returns the name of the downloaded file without reading it.
private struct FileName: DownloadResponseSerializer {
    func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> String {
        fileURL.lastPathComponent
    }
}

/// Removes a byte order mark.
private struct Unmarked: DataPreprocessor {
    func preprocess(_ data: Data) throws -> Data { data.first == 0xEF ? data.dropFirst(3) : data }
}

/// Decodes property lists.
private struct ListDecoder: DataDecoder {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try PropertyListDecoder().decode(type, from: data)
    }
}

/// A list that is empty if there is no body.
private struct Users: EmptyResponse, Decodable {
    var names: [String] = []

    static func emptyValue() -> Self { Users() }
}

/// The error of a validator.
private struct Refusal: Error {}

/// The code of the article on Alamofire about validation, serializers, responses and errors.
@Suite(.timeLimit(.minutes(5)))
struct MigratingFromAlamofireResponsesSamples {
    private let session = SampleService.session()
    private let url = "https://api.example.org/users/1"

    @Test func validation() async {
        let request = session.request(url)
        request.validate()
        request.validate(statusCode: 200..<300)
        request.validate(contentType: ["application/json"])
        request.validate { request, response, data in data.isEmpty ? .failure(Refusal()) : .success(()) }
        #expect(await request.serializingData().response.error == nil)
        let accepted: ValidationResult = .success(())
        let download = session.download(url, to: .temporary)
        download.validate { request, response, fileURL in accepted }
        download.cancel()
    }

    /// Only compiled, because no request is sent.
    static func handlers(_ request: DataRequest, _ download: DownloadRequest) {
        request.response { print($0.result) }
        request.responseData { print($0.result) }
        request.responseString { print($0.result) }
        request.responseDecodable(of: User.self) { print($0.result) }
        request.responseJSON { print($0.result) }
        request.response(responseSerializer: ByteCount()) { print($0.result) }
        download.responseURL { print($0.result) }
        download.responseDecodable(of: User.self) { print($0.result) }
        download.response(responseSerializer: FileName()) { print($0.result) }
    }

    @Test func serializers() async throws {
        let request = session.request(url)
        _ = try await request.serializingData().value
        _ = try await request.serializingString().value
        _ = try await request.serializingDecodable(User.self).value
        #expect(try await request.serializingJSON().value["name"]?.string == "Ada")
        #expect(try await request.serializingResponse(using: ByteCount()).value == 24)
        let serializers: [any ResponseSerializer] = [
            DataResponseSerializer(dataPreprocessor: .passthrough), StringResponseSerializer(encoding: .utf8),
            DecodableResponseSerializer<User>(decoder: JSONDecoder()), JSONResponseSerializer(),
            DataResponseSerializer(dataPreprocessor: .googleXSSI, emptyResponseCodes: [204, 205]),
            DecodableResponseSerializer<Users>(dataPreprocessor: Unmarked(), decoder: ListDecoder()),
        ]
        #expect(serializers.count == 6)
        let gone = session.request("https://api.example.org/nothing", method: .head)
        _ = try await gone.serializingDecodable(Empty.self).value
        #expect(Users.emptyValue().names.isEmpty)
    }

    @Test func responses() async {
        let response: DataResponse<User> = await session.request(url).serializingDecodable(User.self).response
        let result: Result<User, ApusError> = response.result
        let name = response.map(\.name)
        let data = response.tryMap { try JSONEncoder().encode($0) }
        let explained = response.mapError { ApusError(.serializerFailed, "there is no user", underlying: $0) }
        #expect(name.value == "Ada" && data.error == nil && explained.error == nil)
        print(result, response.value?.name ?? "", response.data ?? Data(), response.debugDescription)
        print(response.metrics.duration, response.serializationDuration)
    }

    /// Only compiled, because no request is sent.
    static func awaited(_ download: DownloadRequest) async throws {
        let response: DownloadResponse<URL> = await download.serializingURL().response
        print(response.fileURL?.path() ?? "nowhere", response.error?.code ?? "fine")
    }

    @Test func errors() async throws {
        do {
            try await session.get("https://api.example.org/users/0").validate()
        } catch {
            if error.code == .unacceptableStatus { print(error.responseCode ?? 0) }
            look(at: error)
            #expect(error.isValidation && !error.isCancelled && !error.isConnect && !error.isTimeout)
        }
    }

    private func look(at error: ApusError) {
        print(error.code, error.phase, error.detail, error.exchanges.count)
        print(error.url ?? "", error.data ?? Data(), error.responseContentType ?? "", error.fileURL as Any)
        print(error.response?.headerFields[.contentType] ?? "")
        print(error.acceptableContentTypes ?? [], error.failedStringEncoding as Any)
        if let reason = error.underlying as? CertificateRejection { print(reason) }
        if let failure = error.underlying as? RetryFailure { print(failure.retryError, failure.originalError ?? error) }
        let unknown: any Error = error
        if let error = unknown as? ApusError { print(error) }
        let problem = error.decodeData(as: Problem.self)
        #expect(problem?.title == "There is no such user")
    }

    @Test func codes() {
        let codes: [ApusError.Code] = [
            .invalidURL, .invalidField, .invalidRequest, .requestBuildingFailed, .fileUnreadable,
            .multipartEncodingFailed, .parameterEncodingFailed, .adaptationFailed, .retryFailed, .fileUnwritable,
            .fileExists, .fileInUse,
            .unacceptableStatus, .unacceptableContentType, .missingContentType, .validationFailed,
            .emptyBody, .stringDecodingFailed, .decodingFailed, .serializerFailed, .downloadedFileUnreadable,
            .certificateRejected, .hostNotFound, .connectFailed, .connectionClosed,
            .cancelled, .sessionGone, .sessionShutDown,
        ]
        #expect(Set(codes).count == codes.count)
    }
}
