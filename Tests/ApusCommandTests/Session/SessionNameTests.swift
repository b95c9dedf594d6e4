import Testing

@testable import ApusCommand

@Suite struct SessionNameTests {
    private func path(_ text: String, host: String = "example.org", _ environment: [String: String]) throws -> String {
        let sink = OutputChannel(RecordingSink())
        let console = Console(environment: environment, workingDirectory: "/here", output: sink, error: sink)
        return try SessionName(text, isReadOnly: false).path(host: host, console: console)
    }

    @Test(arguments: [
        ("ada", "example.org", "/h/.config/apus/sessions/example.org/ada.json"),
        ("a.b_c-9", "example.org:8080", "/h/.config/apus/sessions/example.org_8080/a.b_c-9.json"),
        ("ada", "[::1]:8080", "/h/.config/apus/sessions/[__1]_8080/ada.json"),
        // A host whose name looks like another host with a port has a separate folder.
        ("ada", "host:8080", "/h/.config/apus/sessions/host_8080/ada.json"),
        ("ada", "host_8080", "/h/.config/apus/sessions/host_8080_/ada.json"),
        ("ada", "host_8080_", "/h/.config/apus/sessions/host_8080__/ada.json"),
        ("ada", "my_host", "/h/.config/apus/sessions/my_host/ada.json"),
        ("ada", "my_host_1:80", "/h/.config/apus/sessions/my_host_1_80/ada.json"),
        ("ada", "host8080", "/h/.config/apus/sessions/host8080/ada.json"),
        ("ada", "Example.ORG", "/h/.config/apus/sessions/example.org/ada.json"),
        // A Host field can have any value.
        ("ada", "../../etc", "/h/.config/apus/sessions/.._.._etc/ada.json"),
        ("ada", "..", "/h/.config/apus/sessions/_/ada.json"),
        ("ada", "", "/h/.config/apus/sessions/_/ada.json"),
        ("..", "h", "/h/.config/apus/sessions/h/...json"),
        ("./ada.json", "h", "/here/./ada.json"), ("/tmp/ada", "h", "/tmp/ada"), ("~/ada", "h", "/h/ada"),
    ])
    func hasAPath(text: String, host: String, expected: String) throws {
        #expect(try path(text, host: host, ["HOME": "/h"]) == expected)
    }

    @Test func usesTheConfigurationFolder() throws {
        #expect(
            try path("ada", ["HOME": "/h", "XDG_CONFIG_HOME": "/xdg"]) == "/xdg/apus/sessions/example.org/ada.json"
        )
        // The XDG specification ignores paths that are not absolute.
        for relative in ["", "xdg"] {
            #expect(try path("ada", ["HOME": "/h", "XDG_CONFIG_HOME": relative]).hasPrefix("/h/.config/"))
        }
        #expect(throws: CommandFault.self) { try path("ada", [:]) }
        #expect(try path("./ada", [:]) == "/here/./ada")
    }

    @Test(arguments: ["", "a b", "grün", "a:b", "a\n", "x/", "/"]) func rejectsInvalidNames(text: String) {
        let fault = #expect(throws: CommandFault.self) { try SessionName(text, isReadOnly: true) }
        #expect(fault?.sentence.hasPrefix("--session-read-only ") == true)
    }
}
