import Apus
import ApusTestServer
import ApusTestSupport
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// Downloads whose disk is full, and whose folder or destination changes.
@Suite(.timeLimit(.minutes(5))) struct DownloadDiskTests {
    private static let served = ServedDownload()
    private static let content = Data(served.content)
    private static let partNames = ["file.part", "file.part.json"]

    private func destination(_ file: URL, isResumable: Bool = true) -> DownloadDestination {
        .file(file, options: isResumable ? [.resumePartialFile, .removePreviousFile] : .removePreviousFile)
    }

    /// Sends the first half of the file, and the second half once the gate is open. Further connections get the rest of
    /// a complete part.
    private func scripts(_ gate: Gate) -> [Script] {
        let last = Self.served.content[39]
        let head = "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes 39-39/40\r\n"
        return [
            [
                .expectHead, .sendBytes(Self.served.half), .wait(gate),
                .sendBytes(Array(Self.served.content.dropFirst(20))), .close,
            ],
            [.expectHead, .sendBytes(Array("\(head)Content-Length: 1\r\n\r\n".utf8) + [last]), .silence],
        ]
    }

    /// Downloads a file, and changes the disk when its first half has been written.
    private func outcome(
        in folder: TemporaryFolder,
        isResumable: Bool,
        _ server: TestServer,
        _ session: Session,
        _ gate: Gate,
        change: () throws -> Void
    ) async throws -> ApusError? {
        let target = destination(folder.url("file"), isResumable: isResumable)
        let task = session.download(server.url("/f"), to: target).serializingURL()
        let hasHalf = await eventually {
            let parts = ((try? folder.names) ?? []).filter { $0.hasSuffix(".part") }
            return parts.first.flatMap { try? Data(contentsOf: folder.url($0)) }?.count == 20
        }
        #expect(hasHalf)
        try change()
        gate.open()
        return await task.response.error
    }

    @Test(arguments: Wire.allCases, [false, true])
    func failsIfItsFolderVanishes(wire: Wire, isResumable: Bool) async throws {
        let (folder, gate) = (try TemporaryFolder(), Gate())
        try await wire.with(.scripts(scripts(gate))) { server, session in
            let error = try await outcome(in: folder, isResumable: isResumable, server, session, gate) {
                try FileManager.default.removeItem(at: folder.url)
            }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.contains("was moved or replaced") == true)
            #expect(!FileManager.default.fileExists(atPath: folder.url.path))
        }
    }

    @Test(arguments: Wire.allCases, [false, true])
    func failsIfItsDestinationBecomesAFolder(wire: Wire, isResumable: Bool) async throws {
        let (folder, gate) = (try TemporaryFolder(), Gate())
        let file = folder.url("file")
        try await wire.with(.scripts(scripts(gate))) { server, session in
            let error = try await outcome(in: folder, isResumable: isResumable, server, session, gate) {
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.contains("can't be moved into place") == true)
            #expect(try folder.names == ["file"] + (isResumable ? Self.partNames : []))
            guard isResumable else { return }
            // The part is complete, so its last byte is requested again.
            try FileManager.default.removeItem(at: file)
            let response = await session.download(server.url("/f"), to: destination(file)).serializingURL().response
            #expect(response.error == nil)
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=39-"])
            #expect(try Data(contentsOf: file) == Self.content)
            #expect(try folder.names == ["file"])
        }
    }

    /// Another program removes the part, or puts its own file there.
    @Test(arguments: Wire.allCases, [false, true])
    func movesNoFileOfOthers(wire: Wire, isReplaced: Bool) async throws {
        let (folder, gate) = (try TemporaryFolder(), Gate())
        let part = folder.url("file.part")
        try await wire.with(.scripts(scripts(gate))) { server, session in
            let error = try await outcome(in: folder, isResumable: true, server, session, gate) {
                try FileManager.default.removeItem(at: part)
                if isReplaced { try makeFile(part, "theirs") }
            }
            #expect(error?.code == .fileUnwritable)
            #expect(!FileManager.default.fileExists(atPath: folder.url("file").path))
            if isReplaced { #expect(try text(part) == "theirs") }
        }
    }

    /// The rest is downloaded when there is space again.
    @Test(.enabled(if: TinyDisk.isAvailable), arguments: Wire.allCases)
    func continuesAfterTheDiskWasFull(wire: Wire) async throws {
        let length = 300_000
        let disk = try TinyDisk(byteCount: 1 << 20)
        let (file, filler) = (disk.url("file"), disk.url("filler"))
        try Data(count: 900 << 10).write(to: filler)
        try await wire.with { server, session in
            let url = server.url("/download/\(length)")
            let request = session.download(url, to: destination(file))
            let error = await request.serializingURL().response.error
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.contains("can't be written") == true)
            #expect(request.resumeData != nil)
            #expect(try disk.names == Self.partNames.sorted() + ["filler"])
            let byteCount = try Data(contentsOf: disk.url("file.part")).count
            #expect(byteCount > 0 && byteCount < length)
            try FileManager.default.removeItem(at: filler)
            let response = await session.download(url, to: destination(file)).serializingURL().response
            #expect(response.error == nil)
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=\(byteCount)-"])
            let isRight = try Data(contentsOf: file) == Data(TestServer.pattern(count: length))
            #expect(isRight)
            #expect(try disk.names == ["file"])
        }
    }

    /// Without the option, nothing stays on a full disk.
    @Test(.enabled(if: TinyDisk.isAvailable), arguments: Wire.allCases)
    func leavesNothingOnAFullDisk(wire: Wire) async throws {
        let disk = try TinyDisk(byteCount: 64 << 10)
        try await wire.with { server, session throws in
            let url = server.url("/download/300000")
            let request = session.download(url, to: destination(disk.url("file"), isResumable: false))
            #expect(await request.serializingURL().response.error?.code == .fileUnwritable)
            #expect(try disk.names == [])
        }
    }

    // MARK: Segments

    private static let option = DownloadSegments(4, minimumBytes: 64 << 10)

    /// There is space for a half of the file. Its record can't be stored on the full disk, so bytes may be requested
    /// again.
    @Test(.enabled(if: TinyDisk.isAvailable), arguments: Wire.allCases)
    func completesSegmentsAfterTheDiskWasFull(wire: Wire) async throws {
        let length = 2_000_000
        let disk = try TinyDisk(byteCount: 4 << 20)
        let (file, filler) = (disk.url("file"), disk.url("filler"))
        try Data(count: 3 << 20).write(to: filler)
        try await wire.with { server, session in
            let url = server.url("/download/\(length)")
            let request = session.download(url, to: destination(file), options: [Self.option])
            let error = await request.serializingURL().response.error
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.contains("can't be written") == true)
            #expect(error?.detail.contains("in the segment of the bytes") == true)
            #expect(try disk.names == Self.partNames.sorted() + ["filler"])
            try FileManager.default.removeItem(at: filler)
            server.forgetRequests()
            let again = session.download(url, to: destination(file), options: [Self.option])
            let response = await again.serializingURL().response
            #expect(response.error == nil)
            #expect(server.requests.allSatisfy { $0["Range"] != nil })
            let isRight = try Data(contentsOf: file) == Data(TestServer.pattern(count: length))
            #expect(isRight)
            #expect(try disk.names == ["file"])
        }
    }

    @Test(.enabled(if: TinyDisk.isAvailable), arguments: Wire.allCases)
    func leavesNoSegmentsOnAFullDisk(wire: Wire) async throws {
        let disk = try TinyDisk(byteCount: 256 << 10)
        try await wire.with { server, session throws in
            let target = destination(disk.url("file"), isResumable: false)
            let request = session.download(server.url("/download/1000000"), to: target, options: [Self.option])
            #expect(await request.serializingURL().response.error?.code == .fileUnwritable)
            #expect(try disk.names == [])
        }
    }
}
