import Testing

@testable import ApusCommand

@Suite struct RequestWordsTests {
    @Test(arguments: [
        (["example.org"], "GET", "example.org", 0),
        (["example.org", "a=b"], "POST", "example.org", 1),
        (["example.org", "a:=1"], "POST", "example.org", 1),
        (["example.org", "@f"], "POST", "example.org", 1),
        (["example.org", "a==b"], "GET", "example.org", 1),
        (["example.org", "A:b", "B;"], "GET", "example.org", 2),
        (["PUT", "example.org"], "PUT", "example.org", 0),
        (["delete", "example.org", "a=b"], "DELETE", "example.org", 1),
        (["GET", "example.org", "a=b"], "GET", "example.org", 1),
        ([":8080/x", "a=b"], "POST", ":8080/x", 1),
        (["POST", ":8080/x"], "POST", ":8080/x", 0),
        (["localhost", "a=b"], "POST", "localhost", 1),
        (["localhost"], "GET", "localhost", 0),
        (["myhost"], "GET", "myhost", 0),
    ])
    func guessesTheMethodAsHTTPieDoes(words: [String], method: String, url: String, count: Int) throws {
        let request = try RequestWords(words)
        #expect(request.method(hasInput: false) == method)
        #expect(request.url == url)
        #expect(request.items.count == count)
    }

    @Test func postsPipedInput() throws {
        #expect(try RequestWords(["example.org"]).method(hasInput: true) == "POST")
        #expect(try RequestWords(["GET", "example.org"]).method(hasInput: true) == "GET")
    }

    @Test func reportsAMissingURL() {
        let fault = #expect(throws: CommandFault.self) { try RequestWords([]) }
        #expect(fault?.sentence.contains("no URL") == true)
    }

    @Test func rejectsAnInvalidItem() {
        #expect(throws: CommandFault.self) { try RequestWords(["example.org", "oops"]) }
    }
}
