internal import ApusAlamofire
internal import Foundation
internal import HTTPTypes
internal import Testing

@Suite struct RequestMessageURLRequestTests {
    @Test func hasTheFieldsOfItsHeaders() throws {
        var message = try RequestMessage(url: "http://h/a?b=c", method: .post, headers: ["X-Tag": "1"])
        #expect(message.url == URL(string: "http://h/a?b=c"))
        message.addValue("2", forHTTPHeaderField: "x-tag")
        #expect(message.value(forHTTPHeaderField: "X-TAG") == "1, 2")
        message.setValue("3", forHTTPHeaderField: "X-Tag")
        message.headers.add(.accept("a/b"))
        #expect(message.fields.map(\.value) == ["3", "a/b"])
        message.setValue(nil, forHTTPHeaderField: "X-Tag")
        #expect(message.headers["X-Tag"] == nil)
        #expect(message.options.isEmpty)
        message.headers = [:]
        #expect(message.fields.isEmpty)
        #expect(throws: AFError.self) {
            try RequestMessage(url: "http://h/", method: .get, headers: ["no name": "1"])
        }
    }

    @Test func hasABodyInMemory() throws {
        var message = try RequestMessage(url: "http://h/", method: .post)
        #expect(message.httpBody == nil)
        message.httpBody = Data("text".utf8)
        #expect(message.httpBody == Data("text".utf8) && message.body.length == 4)
        #expect(message.fields.isEmpty)
        message.body = message.body.withTrailers(["X-A": "b"])
        #expect(message.httpBody == Data("text".utf8))
        message.httpBody = nil
        #expect(message.body.isNone)
        message.body = .replayable { AsyncStream<BodyChunk> { $0.finish() } }
        #expect(message.httpBody == nil)
    }

    @Test(
        arguments: [
            (5, .seconds(5)), (0.25, .milliseconds(250)), (.infinity, nil), (1e12, nil),
        ] as [(TimeInterval, Duration?)]
    )
    func hasATimeout(interval: TimeInterval, duration: Duration?) throws {
        var message = try RequestMessage(url: "http://h/", method: .get)
        #expect(message.timeoutInterval == 60)
        message.timeoutInterval = interval
        let limit = duration.map { RequestTimeouts.Limit.after($0) } ?? .unlimited
        #expect(message.options[RequestTimeouts.self] == RequestTimeouts(idleRead: limit, idleWrite: limit))
        #expect(message.timeoutInterval == (duration == nil ? .infinity : interval))
    }

    @Test(arguments: [0, -1, -.infinity, .nan] as [TimeInterval])
    func hasTheTimeoutOfItsSession(interval: TimeInterval) throws {
        var message = try RequestMessage(url: "http://h/", method: .get)
        message.timeoutInterval = 5
        message.timeoutInterval = interval
        #expect(message.options.isEmpty)
    }

    @Test func switchesCookiesOff() throws {
        var message = try RequestMessage(url: "http://h/", method: .get)
        #expect(message.httpShouldHandleCookies)
        message.httpShouldHandleCookies = false
        #expect(!message.httpShouldHandleCookies)
        message.httpShouldHandleCookies = true
        #expect(message.options.isEmpty)
    }
}
