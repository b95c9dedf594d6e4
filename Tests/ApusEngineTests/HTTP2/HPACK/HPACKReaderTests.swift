internal import NIOCore
internal import Testing

@testable internal import ApusEngine

/// The integers and strings of RFC 7541 §5, as `HPACKReader` reads and `HPACKWriter` writes them.
@Suite struct HPACKReaderTests {
    private func integer(_ octets: [UInt8], prefixBits: UInt8) -> Result<Int, HPACKError> {
        octets.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Result<Int, HPACKError> in
            var reader = HPACKReader(bytes)
            guard let first = reader.next() else { return .failure(.truncated) }
            do throws(HPACKError) {
                let value = try reader.integer(first, prefixBits: prefixBits)
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
    }

    private func written(_ value: Int, prefixBits: Int, pattern: UInt8 = 0) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: HPACKWriter.overheadBytes) {
            (bytes: UnsafeMutableRawBufferPointer) -> Int in
            var writer = HPACKWriter(bytes)
            writer.write(value, prefixBits: prefixBits, pattern: pattern)
            return writer.count
        }
        return Array(buffer.readableBytesView)
    }

    /// RFC 7541, Appendix C.1.
    @Test func agreesWithTheExamples() {
        #expect(written(10, prefixBits: 5) == [0x0A])
        #expect(written(1337, prefixBits: 5) == [0x1F, 0x9A, 0x0A])
        #expect(written(42, prefixBits: 8) == [0x2A])
        #expect(integer([0x0A], prefixBits: 5) == .success(10))
        #expect(integer([0xEA], prefixBits: 5) == .success(10))
        #expect(integer([0x1F, 0x9A, 0x0A], prefixBits: 5) == .success(1337))
        #expect(integer([0x2A], prefixBits: 8) == .success(42))
    }

    @Test(arguments: [4, 5, 6, 7, 8])
    func readsWrittenIntegers(prefixBits: Int) {
        let mask = 0xFF >> (8 - prefixBits)
        let pattern = UInt8(truncatingIfNeeded: 0xFF << prefixBits)
        var values = [0, 1, mask - 1, mask, mask + 1, 255, 256, 16_383, 16_384, 65_535, 2_097_151, 2_097_152]
        values += [mask + 127, mask + 128, mask + 16_383, mask + 16_384, 0x0FFF_FFFF, 0x1000_0000, 0x7FFF_FFFE]
        values.append(0x7FFF_FFFF)
        for value in values {
            let octets = written(value, prefixBits: prefixBits, pattern: pattern)
            #expect((octets.count == 1) == (value < mask))
            #expect(octets[0] & pattern == pattern)
            #expect(integer(octets, prefixBits: UInt8(prefixBits)) == .success(value))
            for count in 0..<octets.count {
                let cut = Array(octets.prefix(count))
                #expect(integer(cut, prefixBits: UInt8(prefixBits)) == .failure(.truncated))
            }
        }
        for value in [0x8000_0000, Int.max] {
            let octets = written(value, prefixBits: prefixBits)
            #expect(octets.count <= 10)
            #expect(integer(octets, prefixBits: UInt8(prefixBits)) == .failure(.integerTooLarge))
        }
    }

    @Test func limitsOverlongIntegers() {
        #expect(integer([0x1F, 0x00], prefixBits: 5) == .success(31))
        #expect(integer([0x1F, 0x80, 0x00], prefixBits: 5) == .success(31))
        #expect(integer([0x1F, 0x80, 0x80, 0x80, 0x80, 0x00], prefixBits: 5) == .success(31))
        #expect(integer([0x1F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], prefixBits: 5) == .failure(.integerTooLarge))
        #expect(integer([0x1F, 0x80, 0x80, 0x80, 0x80, 0x80], prefixBits: 5) == .failure(.integerTooLarge))
        #expect(integer([0x1F, 0x80, 0x80, 0x80, 0x80], prefixBits: 5) == .failure(.truncated))
    }

    @Test func limitsTheValue() {
        #expect(integer([0x1F, 0xE0, 0xFF, 0xFF, 0xFF, 0x07], prefixBits: 5) == .success(0x7FFF_FFFF))
        #expect(integer([0x1F, 0xE1, 0xFF, 0xFF, 0xFF, 0x07], prefixBits: 5) == .failure(.integerTooLarge))
        #expect(integer([0x1F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], prefixBits: 5) == .failure(.integerTooLarge))
        let endless = [UInt8](repeating: 0xFF, count: 100)
        #expect(integer(endless, prefixBits: 7) == .failure(.integerTooLarge))
    }

    @Test func takesStringsWithinTheBlock() throws {
        let octets: [UInt8] = [0x02, 0x61, 0x62, 0x81, 0x1F, 0x03, 0x61]
        let fault = try octets.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws -> HPACKError? in
            var reader = HPACKReader(bytes)
            let plain = try reader.text()
            #expect(Array(plain.octets) == [0x61, 0x62])
            #expect(!plain.isHuffman)
            let coded = try reader.text()
            #expect(Array(coded.octets) == [0x1F])
            #expect(coded.isHuffman)
            do throws(HPACKError) {
                _ = try reader.text()
                return nil
            } catch {
                return error
            }
        }
        #expect(fault == .truncated)
    }
}
