import Apus
import Testing

@testable import ApusCommand

@Suite struct MediaTypesTests {
    @Test(
        arguments: [
            ("text/html; charset=utf-8", "html"), ("application/json", "json"), ("IMAGE/PNG ;x", "png"),
            ("application/octet-stream", nil), ("Application/Octet-Stream; x=y", nil), ("x/unheard-of", nil), ("", nil),
        ] as [(String, String?)]
    )
    func findASuffixForAType(type: String, expected: String?) {
        #expect(MediaTypes.suffix(ofType: type) == expected)
    }

    @Test(
        arguments: [
            ("a/b.c/x.PNG", "image/png"), ("x.tar.gz", "application/gzip"), ("x.bin", "application/octet-stream"),
            ("x.unheard-of", nil), ("x", nil), ("a.png/x", nil), ("", nil), ("x.", nil),
        ] as [(String, String?)]
    )
    func findATypeForAName(name: String, expected: String?) {
        #expect(MediaTypes.knownType(ofFile: name) == expected)
    }
}
