internal import ApusAlamofire
internal import Foundation
internal import Testing

/// The code of the product with Alamofire's names, and of its comments.
@Suite(.timeLimit(.minutes(5)))
struct AlamofireNamesSamples {
    enum Router: URLRequestConvertible {
        case user(id: Int)

        func asURLRequest() throws -> RequestMessage {
            switch self {
            case .user(let id):
                try RequestMessage(url: "https://api.example.org/users/\(id)", method: .get)
            }
        }
    }

    @Test func routers() async throws {
        let session = SampleService.session()
        let user = try await session.request(Router.user(id: 1)).serializingDecodable(User.self).value
        #expect(user.name == "Ada")
    }

    @Test func fields() {
        var headers: HTTPHeaders = ["X-Request-Tag": "blue"]
        headers.add(.authorization(bearerToken: "token"))
        #expect(headers.dictionary == ["X-Request-Tag": "blue", "Authorization": "Bearer token"])
    }

    @Test func interceptors() async throws {
        let interceptor = Interceptor(
            adaptHandler: { request, context, completion in
                var request = request
                request.headers.add(.authorization(bearerToken: "token"))
                completion(.success(request))
            },
            retryHandler: { attempt, context, error, completion in
                let isLimited = attempt.response?.statusCode == 429 && attempt.retryCount < 3
                completion(isLimited ? .retryWithDelay(1.5) : .doNotRetry)
            }
        )
        let sampled = SampleService.session()
        let user = try await sampled.request(Router.user(id: 1), interceptor: interceptor)
            .serializingDecodable(User.self).value
        #expect(user.id == 1)
        let session = Session(interceptor: .retryPolicy)
        #expect(session.configuration.interceptor is RetryPolicy)
    }

    @Test func messages() throws {
        let headers: HTTPHeaders = ["X-Request-Tag": "blue", "Accept": "application/json"]
        var message = try RequestMessage(url: "https://api.example.org/users", method: .post, headers: headers)
        message.timeoutInterval = 5
        message.headers.add(.accept("text/plain"))
        message.setValue("blue", forHTTPHeaderField: "X-Request-Tag")
        message.httpBody = Data("text".utf8)
        #expect(message.headers.dictionary == ["X-Request-Tag": "blue", "Accept": "text/plain"])
    }

    /// Only compiled, because it needs a network.
    static func requests() {
        AF.request("https://api.example.org/users/1").validate().responseDecodable(of: User.self) { print($0.result) }
        let headers: HTTPHeaders = [.authorization(bearerToken: "token"), .accept("application/json")]
        AF.request(
            "https://api.example.org/users",
            method: .post,
            parameters: ["name": "Ada", "age": 36],
            encoding: JSONEncoding.default,
            headers: headers,
            interceptor: .retryPolicy
        )
        .validate()
        .responseDecodable(of: User.self) { response in
            print(response.response?.statusCode ?? 0, response.value?.name ?? "nothing")
        }
    }

    /// Only compiled, because it needs a network.
    static func parameters() {
        let headers: HTTPHeaders = ["X-Request-Tag": "blue"]
        let users = AF.request("https://api.example.org/users", parameters: ["page": 2], headers: headers)
        print(users)
    }

    /// Only compiled, because it needs a network.
    static func transfers(_ fileURL: URL, _ headers: HTTPHeaders) {
        let destination: DownloadRequest.Destination = { _, _ in (fileURL, [.removePreviousFile]) }
        let download = AF.download("https://api.example.org/report", headers: headers, to: destination)
        print(download)
        AF.upload(
            multipartFormData: { form in form.append(Data("Ada".utf8), withName: "name") },
            to: "https://api.example.org/users",
            headers: headers
        )
        .responseDecodable(of: User.self) { print($0.result) }
    }
}
