internal import Apus
internal import ApusAFNetworking
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

/// The code of the article on AFNetworking about managers and their tasks.
@Suite(.timeLimit(.minutes(5)))
struct AFNetworkingManagerSamples {
    private let manager: HTTPSessionManager
    private let parameters: Parameters = ["page": 2]
    private let headers: RequestFields = [.acceptLanguage: "en"]
    private let fileURL: URL

    init() throws {
        manager = HTTPSessionManager(
            baseURL: URL(string: "https://api.example.org/v1"),
            transport: MockTransport { _ in
                MockResponse(status: .ok, fields: [.contentType: "application/json"], body: #"{"name": "Ada"}"#)
            }
        )
        manager.completionQueue = DispatchQueue(label: "samples")
        fileURL = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
        try Data("Ada".utf8).write(to: fileURL)
    }

    @Test func calls() async throws {
        defer { try? FileManager.default.removeItem(at: fileURL) }
        var objects: [(any Sendable)?] = []
        objects.append(try await manager.get("users", parameters: parameters, headers: headers).object)
        objects.append(try await manager.post("users", parameters: parameters, headers: headers).object)
        objects.append(try await manager.put("users/1", parameters: parameters, headers: headers).object)
        objects.append(try await manager.patch("users/1", parameters: parameters, headers: headers).object)
        objects.append(try await manager.delete("users/1", parameters: parameters, headers: headers).object)
        let form = try await manager.post("users") { try $0.appendPart(withFileURL: fileURL, name: "portrait") }
        objects.append(form.object)
        #expect(objects.allSatisfy { $0 as? JSONValue == ["name": "Ada"] })
        #expect(try await manager.head("users", parameters: parameters, headers: headers).status == .ok)
        manager.get("users", success: { print($0, $1 ?? "nothing") }, failure: { print($1) })?
            .cancel()
        let other =
            manager.dataTask(withHTTPMethod: .options, urlString: "users", success: { print($1 ?? "") }, failure: nil)
        other?.resume()
    }

    @Test func tasks() async throws {
        defer { try? FileManager.default.removeItem(at: fileURL) }
        let (message, data) = (try RequestMessage("https://api.example.org/users", method: .post), Data("Ada".utf8))
        let task = manager.dataTask(with: message) { task, response, object, error in print(task, object ?? "") }
        task.resume()
        let uploads = [
            manager.uploadTask(with: message, fromFile: fileURL) { print($0, $2 ?? $3 ?? "nothing") },
            manager.uploadTask(with: message, from: data) { print($0, $2 ?? $3 ?? "nothing") },
            manager.uploadTask(withStreamedRequest: message) { print($0, $2 ?? $3 ?? "nothing") },
        ]
        for upload in uploads { upload.cancel() }
        let file = try await manager.download(for: message, destination: { suggested, _ in suggested })
        try FileManager.default.removeItem(at: file.fileURL)
    }

    @Test func archives() async throws {
        defer { try? FileManager.default.removeItem(at: fileURL) }
        let archive = try manager.archive()
        #expect(try HTTPSessionManager(archive: archive).baseURL == manager.baseURL)
        try await manager.archive(to: fileURL)
        #expect(try HTTPSessionManager(contentsOf: fileURL).baseURL == manager.baseURL)
    }

    @Test func reachability() throws {
        defer { try? FileManager.default.removeItem(at: fileURL) }
        _ = manager.reachabilityManager
        #expect(AFNetworkReachabilityManager.shared === AFNetworkReachabilityManager.shared)
        _ = AFNetworkReachabilityManager()
        let reachability = try AFNetworkReachabilityManager(forAddress: "192.0.2.1")
        reachability.setReachabilityStatusChange { status in print(status) }
        #expect(!reachability.isReachable && !reachability.isReachableViaWWAN && !reachability.isReachableViaWiFi)
        #expect(reachability.networkReachabilityStatus == .unknown)
        #expect(reachability.networkReachabilityStatus.description == "Unknown")
        reachability.stopMonitoring()
        #expect(Notification.Name.AFNetworkingReachabilityDidChange.rawValue != AFNetworkingKeys.reachabilityStatus)
    }

    /// Watches the routes of the machine, which not every process may do, so it is only compiled.
    static func watch(_ reachability: AFNetworkReachabilityManager) throws {
        try reachability.startMonitoring()
        _ = try AFNetworkReachabilityManager(forDomain: "api.example.org")
    }
}
