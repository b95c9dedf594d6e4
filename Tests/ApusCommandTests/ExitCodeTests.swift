import Testing

@testable import ApusCommand

@Suite struct ExitCodeTests {
    @Test(
        arguments: [
            (200, false, 0), (204, true, 0), (304, false, 3), (301, false, 3), (301, true, 0), (404, false, 4),
            (499, true, 4), (500, false, 5), (599, true, 5), (600, false, 0),
        ] as [(Int, Bool, Int32)]
    )
    func followsHTTPie(status: Int, followsRedirects: Bool, code: Int32) {
        #expect(ExitCode(status: status, followsRedirects: followsRedirects).rawValue == code)
    }
}
