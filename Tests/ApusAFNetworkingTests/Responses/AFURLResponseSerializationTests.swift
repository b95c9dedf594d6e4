internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFURLResponseSerializationTests {
    /// Counts bytes and accepts every response.
    private struct ByteCounter: AFURLResponseSerialization {
        func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<Int> {
            AFSerializedResponse { data.count }
        }
    }

    @Test func canBeImplementedByAnyType() {
        let result = ByteCounter().serialize("abc", status: .notFound)
        #expect(result.object == 3)
        #expect(result.error == nil)
    }

    @Test func containsTheThrownError() {
        let result = AFSerializedResponse<Int> { throw CustomError() }
        #expect(result.object == nil)
        #expect(result.error?.code == .serializerFailed)
        #expect(result.error?.underlying is CustomError)
        let refused = AFSerializedResponse<Int> { throw ApusError(.decodingFailed, "no number") }
        #expect(refused.error?.code == .decodingFailed)
        let nothing = AFSerializedResponse<Int> { nil }
        #expect(nothing.object == nil)
        #expect(nothing.error == nil)
    }
}
