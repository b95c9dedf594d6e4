internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct DataPreprocessorTests {
    private struct Reversing: DataPreprocessor {
        struct Fault: Error {}

        func preprocess(_ data: Data) throws -> Data {
            guard !data.isEmpty else { throw Fault() }
            return Data(data.reversed())
        }
    }

    /// Parity: AF-serializer-xssi
    @Test(arguments: [
        (")]}',\n{\"a\":1}", "{\"a\":1}"), (")]}',\n", ""), ("{\"a\":1}", "{\"a\":1}"), ("", ""),
        // Only the complete prefix is removed, and only once.
        (")]}',", ")]}',"), (")]}'\n[]", ")]}'\n[]"), (")]}',\n)]}',\n[]", ")]}',\n[]"), (" )]}',\n[]", " )]}',\n[]"),
    ])
    func removesThePrefix(body: String, expected: String) throws {
        #expect(try GoogleXSSIPreprocessor().preprocess(Data(body.utf8)) == Data(expected.utf8))
        #expect(try PassthroughPreprocessor().preprocess(Data(body.utf8)) == Data(body.utf8))
    }

    @Test func removesThePrefixOfASlice() throws {
        let slice = Data("x)]}',\n[1]".utf8).dropFirst()
        #expect(try GoogleXSSIPreprocessor().preprocess(slice) == Data("[1]".utf8))
    }

    /// Parity: AF-serializer-own, AF-serializer-preprocessor
    @Test func runsBeforeSerialization() async throws {
        let test = TestSession { _ in MockResponse(body: ")]}',\n[1,2]") }
        let guarded = DecodableResponseSerializer<[Int]>(dataPreprocessor: .googleXSSI)
        #expect(try await test.session.request("http://h/").serializingResponse(using: guarded).value == [1, 2])
        let plain = DecodableResponseSerializer<[Int]>(dataPreprocessor: .passthrough)
        let error = await test.session.request("http://h/").serializingResponse(using: plain).response.error
        #expect(error?.code == .decodingFailed)
        let own = StringResponseSerializer(dataPreprocessor: Reversing())
        #expect(try await test.session.request("http://h/").serializingResponse(using: own).value == "]2,1[\n,'}])")
        let file = test.session.download("http://h/", to: .temporary)
        #expect(try await file.serializingDownload(using: own).value == "]2,1[\n,'}])")
        try FileManager.default.removeItem(at: #require(file.fileURL))
    }

    /// Parity: AF-serializer-preprocessor
    @Test func mayThrow() async throws {
        let test = TestSession { _ in MockResponse(status: .noContent) }
        let serializer = DataResponseSerializer(dataPreprocessor: Reversing())
        let error = await test.session.request("http://h/").serializingResponse(using: serializer).response.error
        #expect(error?.code == .serializerFailed)
        #expect(error?.underlying is Reversing.Fault)
    }
}
