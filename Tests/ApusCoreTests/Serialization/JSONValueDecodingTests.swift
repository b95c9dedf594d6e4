internal import Apus
internal import Foundation
internal import Testing

@Suite struct JSONValueDecodingTests {
    private struct User: Decodable, Equatable {
        let id: UInt64
        let name: String?
        let since: Date
    }

    private static let value: JSONValue = [
        "users": [["id": 7, "name": nil, "since": 0.5], ["id": 8, "name": "Ada", "since": 1]]
    ]

    /// Parity: AF-serializer-json
    @Test func decodesAnyPart() throws {
        let users = try #require(try Self.value["users"]?.decode([User].self))
        #expect(users.map(\.id) == [7, 8])
        #expect(users.map(\.name) == [nil, "Ada"])
        let name: String? = try Self.value["users"][1]["name"]?.decode()
        #expect(name == "Ada")
        #expect(try JSONValue.null.decode(Int?.self) == nil)
        #expect(try JSONValue(UInt64.max).decode(UInt64.self) == .max)
    }

    @Test func usesTheGivenDecoder() throws {
        let decoder = JSONContentDecoder(dateDecodingStrategy: .secondsSince1970)
        let user = try #require(try Self.value["users"][0]?.decode(User.self, decoder: decoder))
        #expect(user == User(id: 7, name: nil, since: Date(timeIntervalSince1970: 0.5)))
        let foundation = JSONDecoder()
        foundation.dateDecodingStrategy = .secondsSince1970
        #expect(try Self.value["users"][0]?.decode(User.self, decoder: foundation) == user)
    }

    @Test func namesThePathOfItsError() throws {
        let error = #expect(throws: ApusError.self) { try Self.value.decode([String: [[String: String]]].self) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.detail.contains("at users[0].") == true)
    }
}
