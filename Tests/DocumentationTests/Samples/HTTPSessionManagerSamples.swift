internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import Testing

/// The code of the comments on the session manager.
@Suite(.timeLimit(.minutes(5)))
struct HTTPSessionManagerSamples {
    @Test func archives() throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
        let data = try JSONEncoder().encode(manager.archive())
        let again = try HTTPSessionManager(archive: JSONDecoder().decode(HTTPSessionManager.Archive.self, from: data))
        print(again.baseURL ?? "none")
        #expect(again.baseURL == manager.baseURL)
    }

    /// Only compiled, because it needs a network.
    static func calls() async throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/v1/"))
        let (object, response) = try await manager.get("users", parameters: ["page": 2])
        print(response.status, object ?? "nothing")
    }

    /// Only compiled, because it needs a network.
    static func tasks() {
        let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.org/"))
        let task = manager.get("users/1", success: { _, object in print(object ?? "nothing") }, failure: nil)
        task?.cancel()
    }

    /// Only compiled, because it watches the network of the machine.
    static func reachability() throws {
        let reachability = AFNetworkReachabilityManager.shared
        reachability.setReachabilityStatusChange { status in print(status) }
        try reachability.startMonitoring()
    }
}
