import Apus
import Foundation
import Testing

@testable import ApusCommand

@Suite struct QueueLineTests {
    private func transfer(_ url: String) throws -> Transfer {
        try Transfer(url, to: URL(fileURLWithPath: "/data/a \"b\".zip"))
    }

    @Test func hasAllMembersInOrder() throws {
        var line = QueueLine(error: "it is gone", of: try transfer("https://h.example/a"))
        let place = #""url":"https://h.example/a","file":"/data/a \"b\".zip""#
        #expect(line.text == "{\(place),\"bytes\":null,\"sha256\":null,\"error\":\"it is gone\"}\n")
        line.byteCount = 5
        line.sha256 = "ba78"
        line.error = nil
        #expect(line.text == "{\(place),\"bytes\":5,\"sha256\":\"ba78\",\"error\":null}\n")
        let unknown = QueueLine(error: "it is damaged", of: nil)
        #expect(unknown.text == #"{"url":null,"file":null,"bytes":null,"sha256":null,"error":"it is damaged"}"# + "\n")
    }

    @Test func hasTheResponseToAnUpload() throws {
        let json =
            #"{"id":"1","kind":"upload","url":"https://h.example/a","path":"/data/a","upload":{"method":"PUT","#
            + #""beginsAnew":"always","size":5,"modified":[1,2]}}"#
        let upload = try JSONDecoder().decode(Transfer.self, from: Data(json.utf8))
        let response = try JSONDecoder().decode(
            TransferResponse.self,
            from: Data(#"{"status":201,"body":"b2sK"}"#.utf8)
        )
        let place = #""url":"https://h.example/a","file":"/data/a""#
        #expect(
            QueueLine(response, of: upload).text
                == "{\(place),\"bytes\":5,\"sha256\":null,\"error\":null,\"status\":201,\"body\":\"ok\\n\"}\n"
        )
        let failed = QueueLine(error: "no", of: upload, status: 409)
        #expect(
            failed.text
                == "{\(place),\"bytes\":null,\"sha256\":null,\"error\":\"no\",\"status\":409,\"body\":null}\n"
        )
    }

    /// A line controls no terminal, and stays one line.
    @Test func escapesControls() throws {
        let line = QueueLine(error: "a\n\u{1B}[2J\u{9B}\u{202E}b", of: nil)
        #expect(line.text.hasSuffix(#","error":"a\n\u001b[2J\u009b\u202eb"}"# + "\n"), "\(line.text)")
    }

    @Test func hasNoSecrets() throws {
        let line = QueueLine(error: "", of: try transfer("https://ada:sesame@h.example/a?sig=hush"))
        let url = try #require(line.url)
        #expect(url.contains("h.example/a") && !url.contains("sesame") && !url.contains("hush"))
    }
}
