import Apus
import ApusTestServer
import ApusTesting
import Testing

/// A 401 response is a response like any other.
@Suite struct UnauthorizedTests {
    /// Parity: AF-fault-unauthorized
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func returnsTheChallengeWithoutCredentials(wire: Wire, form: Form) async throws {
        try await wire.with { server, session in
            let message = try RequestMessage(server.url("/basic-auth/ada/secret"))
            #expect(await form.outcome(of: message, on: session).code == nil)
            let request = session.request(message)
            let response = await request.validate().serializingData().response
            #expect(response.response?.status == .unauthorized)
            #expect(response.response?.headerFields[.wwwAuthenticate] != nil)
            #expect(response.error?.code == .unacceptableStatus)
            // The client does not retry without credentials.
            #expect(server.requestCount == 2)
            #expect(server.acceptedConnections == 1)
        }
    }

    /// Parity: AF-authenticate
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func retriesWithACredentialOnTheSameConnection(wire: Wire) async throws {
        try await wire.with { server, session in
            let request = session.request(server.url("/basic-auth/ada/secret"))
                .authenticate(username: "ada", password: "secret")
            let response = await request.validate().serializingData().response
            #expect(response.error == nil)
            #expect(request.metrics.exchanges.map(\.cause) == [.first, .challenge])
            let wrong = session.request(server.url("/basic-auth/ada/secret")).authenticate(with: .bearer("secret"))
            #expect(await wrong.serializingData().response.response?.status == .unauthorized)
            #expect(server.requestCount == 3)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func sendsTheCredentialsOfAURLAtOnce(wire: Wire) async throws {
        try await wire.with { server, session in
            let url = server.url("/basic-auth/ada/secret").replacing("://", with: "://ada:secret@")
            try await session.get(url).validate()
            #expect(server.requestCount == 1)
        }
    }
}
