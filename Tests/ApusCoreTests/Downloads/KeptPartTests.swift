internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads with the option `resumePartialFile`: a later request continues the part that an earlier one has left.
@Suite(.timeLimit(.minutes(5))) struct KeptPartTests {
    private static let served = ServedFile()
    private static let partNames = ["file.part", "file.part.json"]

    // MARK: Continuing

    @Test func isContinuedFromItsOffset() async throws {
        try await Self.served.withPart { folder, file in
            #expect(try names(in: folder) == Self.partNames)
            let test = TestSession { Self.served.response(to: $0) }
            let reported = LockedList<String>()
            let request = test.session.download("http://h/a", to: resuming(file))
            request.task.observe(.download) { reported.append("\($0.completed)/\($0.total ?? -1)") }
            let response = await request.serializingURL().response
            #expect(response.value == file)
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            #expect(test.values(of: .range) == ["bytes=20-"])
            #expect(test.values(of: .ifRange) == ["\"1\""])
            #expect(reported.all == ["27/40", "34/40", "40/40"])
            #expect(response.byteCount == 40)
            #expect(request.resumeData == nil)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func isContinuedWhenItIsComplete() async throws {
        try await Self.served.withPart(byteCount: 40) { folder, file in
            let test = TestSession { Self.served.response(to: $0) }
            _ = try await test.session.download("http://h/a", to: resuming(file)).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=39-"])
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// The query may be a signature that expires.
    @Test func isContinuedWithAnotherQuery() async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { Self.served.response(to: $0) }
            _ = try await test.session.download("http://h/a?sig=2", to: resuming(file)).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=20-"])
            #expect(try text(file) == ServedFile.content)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func replacesTheOldFileOnlyAtTheEnd() async throws {
        try await Self.served.withPart { folder, file in
            try makeFile(file, "old")
            let refused = TestSession { Self.served.response(to: $0) }
            let error = await refused.session.download("http://h/a", to: resuming(file)).serializingURL().response.error
            #expect(error?.code == .fileExists)
            #expect(refused.requestCount == 0)
            try await assertNothingLeft(refused.session)
            let test = TestSession { request throws in
                #expect(try text(file) == "old")
                return Self.served.response(to: request)
            }
            let destination = resuming(file, .removePreviousFile)
            _ = try await test.session.download("http://h/a", to: destination).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=20-"])
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Failures

    @Test(arguments: [304, 401, 404, 412, 500, 503]) func staysIfTheResponseIsRefused(status: Int) async throws {
        try await Self.served.withPart { folder, file in
            let refused = TestSession { _ in MockResponse(status: .init(code: status), body: "no") }
            let request = refused.session.download("http://h/a", to: resuming(file))
            let error = await request.serializingURL().response.error
            #expect(error?.code == .unacceptableStatus && error?.responseCode == status)
            #expect(error?.data == Data("no".utf8))
            #expect(request.resumeData != nil)
            #expect(try names(in: folder) == Self.partNames)
            try await assertNothingLeft(refused.session)
            let test = TestSession { Self.served.response(to: $0) }
            _ = try await test.session.download("http://h/a", to: resuming(file)).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=20-"])
            #expect(try text(file) == ServedFile.content)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func staysIfNoResponseArrives() async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { _ in throw ApusError(.connectFailed, "it is away") }
            let error = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response.error
            #expect(error?.code == .connectFailed)
            #expect(try names(in: folder) == Self.partNames)
            #expect(try text(folder.appending(path: "file.part")) == String(ServedFile.content.prefix(20)))
            try await assertNothingLeft(test.session)
        }
    }

    @Test func isRemovedWithoutAValidator() async throws {
        try await Self.served.withPart { folder, file in
            let changed = ServedFile(content: "another file", fields: [:])
            let test = TestSession { changed.response(to: $0, cutAfter: 5) }
            let request = test.session.download("http://h/a", to: resuming(file))
            #expect(await request.serializingURL().response.error?.code == .connectionClosed)
            #expect(request.resumeData == nil)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func isRemovedIfAValidatorRejectsTheFile() async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { Self.served.response(to: $0) }
            let request = test.session.download("http://h/a", to: resuming(file)).validate { _, _, part in
                let content = try? text(part)
                #expect(content == ServedFile.content)
                return .failure(Fault())
            }
            #expect(await request.serializingURL().response.error?.code == .validationFailed)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func staysIfTheFileCannotBeMoved() async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { Self.served.response(to: $0) }
            let request = test.session.download("http://h/a", to: resuming(file)).validate { _, _, _ in
                Result { try makeFile(file, "theirs") }
            }
            #expect(await request.serializingURL().response.error?.code == .fileExists)
            #expect(try text(file) == "theirs")
            #expect(try names(in: folder) == ["file"] + Self.partNames)
            #expect(request.resumeData != nil)
            try await assertNothingLeft(test.session)
        }
    }

    @Test(arguments: [false, true]) func staysAtTheDeadlineAndAtAShutdown(isShutdown: Bool) async throws {
        try await inFolder { folder in
            let (file, barrier, clock) = (folder.appending(path: "file"), Barrier(), ManualClock())
            let session = Self.served.held(barrier) {
                $0.time = clock
                $0.timeouts.request = .seconds(5)
            }
            let request = session.download("http://h/a", to: resuming(file))
            let task = request.serializingURL()
            await barrier.reached()
            if isShutdown {
                await session.shutdown(within: .zero)
            } else {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(5))
            }
            let expected: ApusError.Code = isShutdown ? .sessionShutDown : .deadlineExceeded
            #expect(await task.response.error?.code == expected)
            #expect(try names(in: folder) == Self.partNames)
            try await assertNothingLeft(session)
            let test = TestSession { Self.served.response(to: $0) }
            _ = try await test.session.download("http://h/a", to: resuming(file)).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=20-"])
            #expect(try text(file) == ServedFile.content)
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Parts of others

    /// A part without a record may be that of another program, and one with a record that of another file.
    @Test(arguments: [false, true]) func isLeftAloneUntilItIsReplaced(hasRecord: Bool) async throws {
        try await inFolder { folder in
            let (file, part) = (folder.appending(path: "file"), folder.appending(path: "file.part"))
            if hasRecord { try await Self.served.leavePart(of: file) } else { try makeFile(part, "theirs") }
            let before = try names(in: folder)
            let content = try text(part)
            let away = TestSession { _ in throw ApusError(.connectFailed, "it is away") }
            let request = away.session.download("http://h/b", to: resuming(file))
            #expect(await request.serializingURL().response.error?.code == .connectFailed)
            #expect(request.resumeData == nil)
            #expect(try names(in: folder) == before)
            #expect(try text(part) == content)
            try await assertNothingLeft(away.session)
            let test = TestSession { Self.served.response(to: $0) }
            _ = try await test.session.download("http://h/b", to: resuming(file)).serializingURL().value
            #expect(test.values(of: .range) == [nil])
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func isUsedByOneDownload() async throws {
        try await inFolder { folder in
            let (file, barrier) = (folder.appending(path: "file"), Barrier())
            let session = Self.served.held(barrier)
            let first = session.download("http://h/a", to: resuming(file)).serializingURL()
            await barrier.reached()
            let test = TestSession { Self.served.response(to: $0) }
            let error = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response.error
            #expect(error?.code == .fileInUse)
            #expect(error?.detail.contains("is in use") == true)
            #expect(test.requestCount == 0)
            try await assertNothingLeft(test.session)
            barrier.open()
            #expect(try text(await first.value) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(session)
        }
    }

    /// Nothing is written through a link that someone has put in the way.
    @Test(arguments: [false, true]) func isNoLink(isHard: Bool) async throws {
        try await inFolder { folder in
            let (file, target) = (folder.appending(path: "file"), folder.appending(path: "target"))
            let part = folder.appending(path: "file.part")
            try makeFile(target, "precious")
            if isHard {
                try FileManager.default.linkItem(at: target, to: part)
            } else {
                try FileManager.default.createSymbolicLink(at: part, withDestinationURL: target)
            }
            let test = TestSession { Self.served.response(to: $0) }
            let error = await test.session.download("http://h/a", to: resuming(file)).serializingURL().response.error
            #expect(error?.code == .fileUnwritable)
            #expect(error?.detail.contains("link") == true)
            #expect(test.requestCount == 0)
            #expect(try text(target) == "precious")
            #expect(try names(in: folder) == ["file.part", "target"])
            try await assertNothingLeft(test.session)
        }
    }

    /// A retrier may ask again once the part is free.
    @Test func isOpenedAgainByARetry() async throws {
        try await Self.served.withPart { folder, file in
            let opened = try PartialFile(for: file, naming: .stable)
            let holder = LockedValue<PartialFile?>(opened)
            let test = TestSession {
                $0.interceptor = Interceptor(retriers: [
                    Retrier { _, _ in
                        guard let part = holder.change({ $0.take() }) else { return .doNotRetry }
                        await part.keep()
                        return .retry
                    }
                ])
            } responding: {
                Self.served.response(to: $0)
            }
            _ = try await test.session.download("http://h/a", to: resuming(file)).serializingURL().value
            #expect(test.values(of: .range) == ["bytes=20-"])
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Other requests

    @Test func keepsTheRangeOfTheUser() async throws {
        try await Self.served.withPart { folder, file in
            let test = TestSession { _ in
                MockResponse(
                    status: .partialContent,
                    fields: [.eTag: "\"1\"", .contentRange: "bytes 3-9/40"],
                    body: "3456789"
                )
            }
            let request = test.session.download("http://h/a", fields: [.range: "bytes=3-9"], to: resuming(file))
            let response = await request.serializingURL().response
            #expect(response.response?.status == .partialContent)
            #expect(test.values(of: .range) == ["bytes=3-9"])
            #expect(test.values(of: .ifRange) == [nil])
            #expect(try text(file) == "3456789")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// Its bytes are not those that a range counts.
    @Test func isNotKeptOfACodedBody() async throws {
        try await inFolder { folder in
            let coded = ServedFile(fields: [.eTag: "\"1\"", .contentEncoding: "unknown"])
            let file = folder.appending(path: "file")
            let test = TestSession { coded.response(to: $0, cutAfter: 20) }
            let request = test.session.download("http://h/a", to: resuming(file))
            #expect(await request.serializingURL().response.error?.code == .connectionClosed)
            #expect(test.values(of: .acceptEncoding) == ["identity"])
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }
}
