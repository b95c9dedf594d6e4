internal import Testing

@testable internal import ApusEngine

@Suite struct HTTP2FlowWindowTests {
    @Test func beginsWithTheProtocolsWindow() {
        #expect(HTTP2FlowWindow().availableBytes == 65_535)
        #expect(HTTP2FlowWindow.maximumBytes == Int(Int32.max))
    }

    @Test func becomesNegativeAndOpensAgain() {
        var window = HTTP2FlowWindow(availableBytes: 100)
        window.take(100)
        #expect(window.change(by: -70) == true)
        #expect(window.availableBytes == -70)
        #expect(window.sendableBytes == 0)
        window.take(0)
        #expect(window.change(by: 70) == true)
        #expect(window.sendableBytes == 0)
        #expect(window.change(by: 1) == true)
        #expect(window.sendableBytes == 1)
    }

    @Test func rejectsMoreThanTheMaximum() {
        var window = HTTP2FlowWindow(availableBytes: 1)
        #expect(window.change(by: HTTP2FlowWindow.maximumBytes) == false)
        #expect(window.availableBytes == 1)
        #expect(window.change(by: HTTP2FlowWindow.maximumBytes - 1) == true)
        #expect(window.change(by: 1) == false)
        #expect(window.change(by: .max) == false)
        #expect(window.availableBytes == HTTP2FlowWindow.maximumBytes)
    }
}
