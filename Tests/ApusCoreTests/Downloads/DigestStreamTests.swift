internal import Testing

@testable internal import ApusCore

@Suite struct DigestStreamTests {
    /// The examples of FIPS 180-4.
    private static let examples: [(ContentDigest.Algorithm, text: String, digest: String)] = [
        (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha256, String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        (
            .sha512, "",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ]

    private func hexadecimal(_ stream: DigestStream) -> String? {
        ContentDigest(stream.algorithm, bytes: stream.finish())?.hexadecimal
    }

    @Test func hashesTheExamplesOfItsStandard() {
        for (algorithm, text, digest) in Self.examples {
            var stream = DigestStream(algorithm)
            stream.update(BodyChunk(text))
            #expect(hexadecimal(stream) == digest)
        }
    }

    @Test(arguments: [1, 2, 63, 64, 65, 4096])
    func hashesPiecesLikeTheWhole(pieceBytes: Int) {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for algorithm in ContentDigest.Algorithm.allCases {
            var (whole, pieces) = (DigestStream(algorithm), DigestStream(algorithm))
            bytes.withUnsafeBytes { whole.update($0) }
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                pieces.update(BodyChunk(bytes[start..<min(start + pieceBytes, bytes.count)]))
                pieces.update(UnsafeRawBufferPointer(start: nil, count: 0))
            }
            #expect(pieces.finish() == whole.finish())
        }
    }

    @Test func continuesAfterItsDigestWasRead() {
        var stream = DigestStream(.sha256)
        stream.update(BodyChunk("ab"))
        let beginning = stream
        #expect(beginning.finish() == stream.finish())
        stream.update(BodyChunk("c"))
        #expect(hexadecimal(stream) == Self.examples[1].digest)
        #expect(beginning.finish() != stream.finish())
    }
}
