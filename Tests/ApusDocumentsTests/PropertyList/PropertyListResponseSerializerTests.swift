internal import Apus
internal import ApusDocuments
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5)))
struct PropertyListResponseSerializerTests {
    private let value: PropertyListValue = ["name": "Ada", "ports": [80, 443]]
    private let url = "https://api.example.org/settings"

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func parsesAResponse(format: PropertyListFormat) async throws {
        let session = session(respondingWith: try value.data(format: format), contentType: "application/x-plist")
        #expect(try await session.request(url).validate().serializingPropertyList().value == value)
        let response = try await session.get(url)
        #expect(try response.propertyList() == value)
        #expect(PropertyListFormat(of: response.data) == format)
        let called = await withCheckedContinuation { continuation in
            session.request(url).responsePropertyList(queue: DispatchQueue(label: "plist")) {
                continuation.resume(returning: $0)
            }
        }
        #expect(called.value == value)
    }

    @Test func decodesCustomTypes() async throws {
        struct Settings: Decodable, Equatable { let name: String }
        let session = session(respondingWith: try value.data())
        let settings = try await session.get(url).decode(Settings.self, decoder: CheckedPropertyListDecoder())
        #expect(settings == Settings(name: "Ada"))
        let task = session.request(url).serializingDecodable(Settings.self, decoder: PropertyListDecoder())
        #expect(try await task.value == settings)
    }

    @Test func respectsFormatsAndLimits() async throws {
        let session = session(respondingWith: try value.data())
        let request = session.request(url)
        let wrongFormat = await request.serializingPropertyList(formats: [.binary]).response.error
        #expect(wrongFormat?.code == .decodingFailed)
        #expect(wrongFormat?.url == url)
        let limits = PropertyListLimits(maximumValues: 3)
        #expect(await request.serializingPropertyList(limits: limits).response.error?.code == .decodingFailed)
        let error = await #expect(throws: ApusError.self) { try await session.get(url).propertyList(limits: limits) }
        #expect(error?.response?.status == .ok)
    }

    @Test(arguments: [HTTPResponse.Status.ok, .noContent])
    func rejectsAnEmptyBody(status: HTTPResponse.Status) async {
        let session = session(respondingWith: Data(), status: status)
        #expect(await session.request(url).serializingPropertyList().response.error?.code == .emptyBody)
    }

    @Test func returnsTheEmptyValueForAnEmptyBody() async throws {
        let serializer = PropertyListResponseSerializer(emptyValue: [:])
        let session = session(respondingWith: Data(), status: .noContent)
        #expect(try await session.request(url).serializingResponse(using: serializer).value == [:])
    }
}
