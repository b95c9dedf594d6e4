internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads that continue others from their resume data.
@Suite(.timeLimit(.minutes(5))) struct SessionResumedDownloadTests {
    private static let served = ServedFile()

    private func paused(_ destination: DownloadDestination) async throws -> Data {
        let data = try await Self.served.pause(to: destination)
        return try #require(data)
    }

    /// Downloads the rest of the file, and checks its bytes. Removes the file.
    private func finish(_ data: Data, to destination: DownloadDestination? = nil) async throws -> URL {
        let test = TestSession { Self.served.response(to: $0) }
        let request = test.session.download(resumingWith: data, fields: [.accept: "a/b"], to: destination)
        let file = try await request.serializingURL().value
        #expect(test.transport.requests.map(\.target.uri) == ["http://h/a"])
        #expect(test.values(of: .accept) == ["a/b"])
        #expect(test.values(of: .range) == ["bytes=20-"])
        #expect(test.values(of: .ifRange) == ["\"1\""])
        #expect(request.resumeData == nil)
        #expect(try text(file) == ServedFile.content)
        try await assertNothingLeft(test.session)
        try FileManager.default.removeItem(at: file)
        return file
    }

    // MARK: Destinations

    enum Place: CaseIterable { case former, file, folder, temporary }

    @Test(arguments: Place.allCases) func continuesTo(place: Place) async throws {
        try await inFolder { folder in
            let old = folder.appending(path: "old")
            let new = folder.appending(path: "new", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: new, withIntermediateDirectories: false)
            let data = try await paused(.file(old))
            let destination: DownloadDestination? =
                switch place {
                case .former: nil
                case .file: DownloadDestination.file(new.appending(path: "other"))
                case .folder: DownloadDestination.folder(new)
                case .temporary: DownloadDestination.temporary
                }
            let file = try await finish(data, to: destination)
            switch place {
            case .former: #expect(file.path == old.path)
            case .file: #expect(file.path == new.appending(path: "other").path)
            case .folder: #expect(file.path == new.appending(path: "a").path)
            case .temporary: #expect(file.lastPathComponent.hasPrefix("Apus_"))
            }
            #expect(try names(in: folder) == ["new"])
            #expect(try names(in: new) == [])
        }
    }

    @Test(arguments: [DownloadDestination.Options.createIntermediateDirectories, []])
    func createsAFolderOnlyIfItMay(options: DownloadDestination.Options) async throws {
        try await inFolder { folder in
            let data = try await paused(.file(folder.appending(path: "old")))
            let before = try names(in: folder)
            let destination = DownloadDestination.file(folder.appending(path: "new/file"), options: options)
            guard options.isEmpty else {
                _ = try await finish(data, to: destination)
                return
            }
            let test = TestSession { Self.served.response(to: $0) }
            let request = test.session.download(resumingWith: data, to: destination)
            #expect(await request.serializingURL().response.error?.code == .fileUnwritable)
            #expect(test.requestCount == 0)
            #expect(request.resumeData == data)
            #expect(try names(in: folder) == before)
            try await assertNothingLeft(test.session)
            _ = try await finish(data)
        }
    }

    /// A folder may be the destination of the first request. That of a second one that got no response counts for no
    /// third one.
    @Test func keepsTheFormerDestinationUntilAnotherIsChosen() async throws {
        try await inFolder { folder in
            let (old, new) = (folder.appending(path: "old"), folder.appending(path: "new"))
            for url in [old, new] {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            }
            let data = try await paused(.folder(old))
            let barrier = Barrier()
            let test = TestSession.hanging(barrier)
            let request = test.session.download(resumingWith: data, to: .folder(new))
            let task = request.serializingURL()
            await barrier.reached()
            let produced = await request.cancelByProducingResumeData()
            #expect(await task.response.error?.code == .cancelled)
            try await assertNothingLeft(test.session)
            let latest = try #require(produced)
            let file = try await finish(latest)
            #expect(file.path == old.appending(path: "a").path)
            #expect(try names(in: old) == [])
            #expect(try names(in: new) == [])
        }
    }

    enum OldDestination: CaseIterable { case file, folder }

    /// Without a destination, a file at the former one stays, although the first request could have replaced it.
    @Test(arguments: OldDestination.allCases)
    func replacesNoFileWithoutADestination(old: OldDestination) async throws {
        try await inFolder { folder in
            // The name that the folder's destination chooses.
            let file = folder.appending(path: "a")
            let data = try await paused(
                old == .file
                    ? .file(file, options: .removePreviousFile) : .folder(folder, options: .removePreviousFile)
            )
            try makeFile(file, "theirs")
            let before = try names(in: folder)
            #expect(before.count == 2)
            let test = TestSession { Self.served.response(to: $0) }
            let request = test.session.download(resumingWith: data)
            let error = await request.serializingURL().response.error
            #expect(error?.detail.contains("already exists") == true)
            #expect(error?.fileURL?.lastPathComponent == "a")
            #expect(test.requestCount == 0)
            #expect(request.resumeData == data)
            #expect(try text(file) == "theirs")
            #expect(try names(in: folder) == before)
            try await assertNothingLeft(test.session)
            // The caller moves the file away, or allows to replace it.
            let place: DownloadDestination? =
                old == .file ? nil : DownloadDestination.file(file, options: .removePreviousFile)
            if old == .file { try FileManager.default.removeItem(at: file) }
            #expect(try await finish(data, to: place).path == file.path)
            #expect(try names(in: folder) == [])
        }
    }

    /// A file that appears during the download stays, and so does the part.
    @Test func replacesNoFileThatAppears() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let data = try await paused(.file(file))
            let test = TestSession { request in
                try makeFile(file, "theirs")
                return Self.served.response(to: request)
            }
            let request = test.session.download(resumingWith: data)
            let error = await request.serializingURL().response.error
            #expect(error?.detail.contains("already exists") == true)
            #expect(try text(file) == "theirs")
            let latest = try #require(request.resumeData)
            try await assertNothingLeft(test.session)
            try FileManager.default.removeItem(at: file)
            let last = TestSession { Self.served.response(to: $0) }
            _ = try await last.session.download(resumingWith: latest).serializingURL().value
            #expect(last.transport.requests.count == 1)
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(last.session)
        }
    }

    // MARK: Other files

    @Test func beginsAnewIfThePartIsGone() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let data = try await paused(.file(file))
            try FileManager.default.removeItem(atPath: try ResumeData(data).path)
            let away = TestSession { _ in throw ApusError(.connectFailed, "it is away") }
            let lost = away.session.download(resumingWith: data)
            #expect(await lost.serializingURL().response.error?.code == .connectFailed)
            #expect(lost.resumeData == nil)
            try await assertNothingLeft(away.session)
            let test = TestSession { Self.served.response(to: $0) }
            _ = try await test.session.download(resumingWith: data).serializingURL().value
            #expect(test.values(of: .range) == [nil])
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func beginsAnewIfTheFileHasChanged() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let data = try await paused(.file(file))
            let changed = ServedFile(content: "changed", fields: [.eTag: "\"2\""])
            let test = TestSession { changed.response(to: $0) }
            _ = try await test.session.download(resumingWith: data).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=20-"])
            #expect(try text(file) == "changed")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// The second version is cut off, and the first resume data is used again.
    @Test func continuesTheLatestVersionWithOldData() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let data = try await paused(.file(file))
            let changed = ServedFile(content: String(ServedFile.content.reversed()), fields: [.eTag: "\"2\""])
            let lost = TestSession { changed.response(to: $0, cutAfter: 30) }
            let request = lost.session.download(resumingWith: data)
            #expect(await request.serializingURL().response.error?.code == .connectionClosed)
            #expect(request.resumeData != nil)
            try await assertNothingLeft(lost.session)
            let test = TestSession { changed.response(to: $0) }
            _ = try await test.session.download(resumingWith: data).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=30-"])
            #expect(test.values(of: .ifRange) == ["\"2\""])
            #expect(try text(file) == changed.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// A stable name may belong to the part of another file by then.
    @Test func continuesNoPartOfAnotherURL() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let stable = DownloadDestination.file(file, options: .resumePartialFile)
            let data = try await paused(stable)
            let other = TestSession { Self.served.response(to: $0, cutAfter: 9) }
            let replacing = other.session.download("http://h/b", to: stable)
            #expect(await replacing.serializingURL().response.error?.code == .connectionClosed)
            try await assertNothingLeft(other.session)
            let test = TestSession { Self.served.response(to: $0) }
            _ = try await test.session.download(resumingWith: data).serializingURL().value
            #expect(test.values(of: .range) == [nil])
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file", "file.part", "file.part.json"])
            #expect(try text(folder.appending(path: "file.part")) == String(ServedFile.content.prefix(9)))
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Data

    @Test func rejectsDamagedData() async throws {
        try await inFolder { folder in
            let data = try await paused(.file(folder.appending(path: "file")))
            let before = try names(in: folder)
            let text = String(decoding: data, as: UTF8.self)
            let damaged = [
                Data(), Data("{}".utf8), data.dropLast(), data + data,
                Data(text.replacing("apus-resume-data-1", with: "apus-resume-data-2").utf8),
                Data(text.replacing("\"total\":40", with: "\"total\":41").utf8),
            ]
            let test = TestSession { Self.served.response(to: $0) }
            for data in damaged {
                let request = test.session.download(resumingWith: data)
                #expect(await request.serializingURL().response.error?.code == .resumeDataInvalid)
                #expect(request.resumeData == nil)
                #expect(await request.cancelByProducingResumeData() == nil)
            }
            #expect(test.requestCount == 0)
            #expect(try names(in: folder) == before)
            try await assertNothingLeft(test.session)
        }
    }

    /// A download that fails can be continued by a third one.
    @Test(arguments: [404, 503, nil] as [Int?]) func hasDataAgainIfItFails(status: Int?) async throws {
        try await inFolder { folder in
            let data = try await paused(.file(folder.appending(path: "file")))
            let test = TestSession { _ in
                guard let status else { throw ApusError(.connectFailed, "it is away") }
                return MockResponse(status: .init(code: status))
            }
            let request = test.session.download(resumingWith: data)
            #expect(await request.serializingURL().response.error != nil)
            #expect(request.resumeData == data)
            try await assertNothingLeft(test.session)
            _ = try await finish(data)
            #expect(try names(in: folder) == [])
        }
    }

    @Test(arguments: [false, true]) func hasDataAgainIfItDidNotStart(isQueued: Bool) async throws {
        try await inFolder { folder in
            let data = try await paused(.file(folder.appending(path: "file")))
            let barrier = Barrier()
            let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
            let first = test.session.request("http://h/1").serializingData()
            await barrier.reached()
            let request = test.session.download(resumingWith: data)
            if isQueued { request.resume() }
            #expect(test.session.requestCounts == (1, isQueued ? 1 : 0))
            let produced = await request.cancelByProducingResumeData()
            #expect(produced == data)
            #expect(request.resumeData == data)
            barrier.open()
            #expect(await first.response.error == nil)
            try await assertNothingLeft(test.session)
            _ = try await finish(data)
            #expect(try names(in: folder) == [])
        }
    }

    @Test func hasDataAgainIfThePartIsInUse() async throws {
        try await inFolder { folder in
            let data = try await paused(.file(folder.appending(path: "file")))
            let barrier = Barrier()
            let hanging = TestSession.hanging(barrier)
            let first = hanging.session.download(resumingWith: data)
            let task = first.serializingURL()
            await barrier.reached()
            let test = TestSession { Self.served.response(to: $0) }
            let second = test.session.download(resumingWith: data)
            let error = await second.serializingURL().response.error
            #expect(error?.code == .fileInUse && error?.detail.contains("is in use") == true)
            #expect(second.resumeData == data)
            #expect(test.requestCount == 0)
            try await assertNothingLeft(test.session)
            #expect(await first.cancelByProducingResumeData() == data)
            #expect(await task.response.error?.code == .cancelled)
            try await assertNothingLeft(hanging.session)
            _ = try await finish(data)
            #expect(try names(in: folder) == [])
        }
    }
}
