internal import Apus
internal import ApusAFNetworking
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct AFURLResponseSerializationTests {
    /// Counts bytes, and refuses nothing.
    private struct Counting: AFURLResponseSerialization {
        func responseObject(for response: HTTPResponse, data: Data) -> AFSerializedResponse<Int> {
            AFSerializedResponse { data.count }
        }
    }

    @Test func isMadeBySerializersOfAnyType() {
        let answer = Counting().answer("abc", status: .notFound)
        #expect(answer.object == 3)
        #expect(answer.error == nil)
    }

    @Test func hasWhatCodeThrows() {
        let answer = AFSerializedResponse<Int> { throw Quirk() }
        #expect(answer.object == nil)
        #expect(answer.error?.code == .serializerFailed)
        #expect(answer.error?.underlying is Quirk)
        let refused = AFSerializedResponse<Int> { throw ApusError(.decodingFailed, "no number") }
        #expect(refused.error?.code == .decodingFailed)
        let nothing = AFSerializedResponse<Int> { nil }
        #expect(nothing.object == nil)
        #expect(nothing.error == nil)
    }
}
