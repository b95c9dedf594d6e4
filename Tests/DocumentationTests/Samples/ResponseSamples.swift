internal import Apus
internal import Foundation
internal import Testing

/// The code of the comments on downloads, serializers and rejected responses.
@Suite(.timeLimit(.minutes(5)))
struct ResponseSamples {
    private let session = SampleService.session()

    @Test func downloads() async throws {
        session.download("https://example.org/archive.zip", to: .temporary)
            .validate()
            .downloadProgress { print($0.fractionCompleted) }
            .responseURL { response in
                print(response.result)
            }
            .cancel()
        let folder = URL.temporaryDirectory
        let destination = DownloadDestination { request, response in
            (folder.appending(path: "\(response.status.code).zip"), [.removePreviousFile])
        }
        let file = try await session.download("https://example.org/archive.zip", to: destination).serializingURL().value
        #expect(file.lastPathComponent == "200.zip")
        try FileManager.default.removeItem(at: file)
        let download = session.download("https://example.org/archive.zip", to: .temporary).validate()
        let archive = try await download.serializingURL().value
        try FileManager.default.removeItem(at: archive)
    }

    @Test func serializers() async throws {
        let serializer = CompoundResponseSerializer<User>([
            DecodableResponseSerializer(decoder: PropertyListDecoder()),
            DecodableResponseSerializer(),
        ])
        let request = session.request("https://api.example.org/users/1")
        let user = try await request.serializingResponse(using: serializer).value
        #expect(user.name == "Ada")
    }

    @Test func refusals() async throws {
        let response = session.request("https://api.example.org/users/0").validate().serializingDecodable(User.self)
        do {
            print(try await response.value(orThrowing: Problem.self))
        } catch {
            switch error {
            case .refused(let problem, _): print(problem.title)
            case .failed(let error): print(error)
            }
        }
        #expect(await response.response.error?.code == .unacceptableStatus)
    }

    @Test func contentInGET() async throws {
        let search = try RequestMessage("https://api.example.org/users", body: .string("name=Ada"))
        let response = try await session.send(search, options: [GETBodyPolicy.allowed])
        #expect(response.status == .ok)
    }
}
