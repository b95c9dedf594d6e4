internal import Testing

@testable internal import ApusCore

/// Bodies come from untrusted servers, so the time to redact them must be proportional to their length.
@Suite(.timeLimit(.minutes(5))) struct ContentRedactorTests {
    /// Each of these once took quadratic time, which is hours for a mebibyte.
    @Test(arguments: [
        (#"\\\\\""#, ""), (#"\\\\\""#, "\"" + String(repeating: " ", count: 1 << 19)), (#"\\"#, ""), (#"\""#, ""),
        (#"\\\""#, ""), ("\"", ""), (#"" "#, ""), (#""token" "#, ""), ("<token/>", ""), ("<token>", ""),
        ("<token a=", ""), ("<token", ""), ("</token", ""), ("token=", ""), ("token='", ""), (#"token=""#, ""),
        (#"{"token":["#, ""), (#"{"token":["a"#, ""), ("[", ""), ("%", ""), (" ", ""),
        ("{", ""), ("}", ""), (#"{"name":"#, ""), (#"{"value":"#, ""), (#"{"value":{"name":"pin","#, ""),
        (#"{"name":""#, ""), (#"{"key":"a","#, ""), (#"["token",""#, ""), (#"["token","a"],"#, ""), (#"["#, "\""),
        ("'", ""),
        ("'a", ""), ("{'token':", ""), ("a=%25", ""), ("a=%", ""), ("token:\n", ""), ("token:\n\n", ""),
        ("token:\n a", ""),
        ("token: a ", ""), ("cookie: ", ""), ("authorization: <redacted>", ""), ("a ", ""), ("<a b='", ""),
        ("<a b=\"", ""),
        (#"<a b=\""#, ""), (#"<a b=\"<c d=\\\""#, ""), ("<e k=pin>", ""), ("<e k=pin></e>", ""),
        ("<e k=pin a='<e k=pin>'>", ""),
        ("<key>", ""), ("<key>a</key", ""), ("<key>a</key><string>", ""), ("<token><![CDATA[", ""), ("<token", ">"),
        ("<", ""),
        ("&#", ""), ("a&#112;=", ""), ("a[", ""), ("a]", ""),
    ])
    func handlesHostileInputInLinearTime(piece: String, end: String) {
        let text = String(repeating: piece, count: (1 << 14) / piece.utf8.count) + end
        #expect(!ContentRedactor.takenOut(of: text).isEmpty)
    }

    @Test func handlesManyBackslashesInAMember() {
        let text = #"{"token":["# + String(repeating: #"\"#, count: 1 << 17)
        #expect(ContentRedactor.takenOut(of: text) == #"{"token":"<redacted>""#)
    }

    @Test func handlesManySpacesAfterStrings() {
        let strings = String(repeating: #"\\\\\""#, count: 80_000)
        let text = strings + "\"" + String(repeating: " ", count: 1 << 19) + ":"
        #expect(ContentRedactor.takenOut(of: text) == text)
    }

    @Test(arguments: [
        (#"{"password": "sesame", "a": "b"}"#, #"{"password": "<redacted>", "a": "b"}"#),
        (#"{\"password\": \"sesame\"}"#, #"{\"password\": \"<redacted>\"}"#),
        (#"{\\\"password\\\": \\\"sesame\\\"}"#, #"{\\\"password\\\": \\\"<redacted>\\\"}"#),
        (#"["a\"b", {"token": "x\"y"}]"#, #"["a\"b", {"token": "<redacted>"}]"#),
        (#"{"token": ["a", {"b": "c"}], "d": 1}"#, #"{"token": "<redacted>", "d": 1}"#),
        (#"{"token": ["a\\\\\"b"], "d": 1}"#, #"{"token": "<redacted>", "d": 1}"#),
        (#"\\\\\"a" , "token" : 1"#, #"\\\\\"a" , "token" : "<redacted>""#),
        ("<token/><a>b</a>", "<token/><a>b</a>"), ("<token a='b'/>c", "<token a='<redacted>'/>c"),
        ("<token>a</token>b", "<token><redacted></token>b"),
        ("<token/>a<token>b</token>", "<token/>a<token><redacted></token>"),
    ])
    func redactsCommonFormats(text: String, shown: String) {
        #expect(ContentRedactor.takenOut(of: text) == shown)
    }

    @Test(arguments: [
        (#"{"p\u0061ssword":"S"}"#, #"{"p\u0061ssword":"<redacted>"}"#),
        (#"{"x":"{\"p\\u0061ssword\":\"S\"}"}"#, #"{"x":"{\"p\\u0061ssword\":\"<redacted>\"}"}"#),
        (#"[{"name":"password","value":"S"}]"#, #"[{"name":"password","value":"<redacted>"}]"#),
        (#"[{"value":"S","name":"password"}]"#, #"[{"value":"<redacted>","name":"password"}]"#),
        (#"{"name":"token","value":{"a":["S"]},"b":1}"#, #"{"name":"token","value":<redacted>,"b":1}"#),
        (#"{"name":"token","values":["S","T"]}"#, #"{"name":"token","values":<redacted>}"#),
        (#"{"x":"{\"name\":\"pin\",\"value\":\"S\"}"}"#, #"{"x":"{\"name\":\"pin\",\"value\":\"<redacted>\"}"}"#),
        (#"{"name":"pin","value":7}"#, #"{"name":"pin","value":"<redacted>"}"#),
        (#"{"name":"password","note":"a{b","value":"S"}"#, #"{"name":"password","note":"a{b","value":"<redacted>"}"#),
        (#"5" wide {"name":"password","value":"S"}"#, #"5" wide {"name":"password","value":"<redacted>"}"#),
        (#"{"name":"password","value":"S"#, #"{"name":"password","value":"<redacted>"#),
        (#"{"key":"password","value":"S"}"#, #"{"key":"password","value":"<redacted>"}"#),
        (#"{"key":"color","value":"S"}"#, #"{"key":"color","value":"S"}"#),
        (#"{"key":"S"}"#, #"{"key":"<redacted>"}"#), (#"{"key":"S","a":1"#, #"{"key":"<redacted>","a":1"#),
        (#"[["x-api-key","S"],["a","b"]]"#, #"[["x-api-key","<redacted>"],["a","b"]]"#),
        (#"{"required":["token","name"]}"#, #"{"required":["token","name"]}"#),
        ("{'token':'S'}", "{'token':'<redacted>'}"), ("{token:\"S\"}", "{token:\"<redacted>\"}"),
        ("{token:S,a:1}", "{token:<redacted>,a:1}"), ("{ token : S }", "{ token : <redacted> }"),
        (#"{"password"=>"S"}"#, #"{"password"=>"<redacted>"}"#), ("'token': True", "'token': True"),
    ])
    func redactsMembersInAnyNotation(text: String, shown: String) {
        #expect(ContentRedactor.takenOut(of: text) == shown)
    }

    @Test(arguments: [
        ("password: S", "password: <redacted>"), ("a: b\npassword: S T\nc: d", "a: b\npassword: <redacted>\nc: d"),
        ("Authorization: Token S\r\nHost: h\r\n", "Authorization: <redacted>\r\nHost: h\r\n"),
        ("API key: S T", "API key: <redacted>"), ("  - token: S", "  - token: <redacted>"),
        ("# secret = S T", "# secret = <redacted>"),
        ("db_password = S T\nuser = a", "db_password = <redacted>\nuser = a"),
        ("private_key: |\n  S\n\n  T\nname: a", "private_key: <redacted>\nname: a"),
        ("tokens:\n- S\n- T\nname: a", "tokens:\n<redacted>\nname: a"), ("tokens:\nname: a", "tokens:\nname: a"),
        ("password:\n  \"S\"", "password:\n  \"<redacted>\""), ("password: \"S\" # a", "password: \"<redacted>\" # a"),
        ("sent X-Api-Key: S to it", "sent X-Api-Key: <redacted>"), ("(X-Api-Key: S T)", "(X-Api-Key: <redacted> T)"),
        (#"{"log":"Authorization: Token S"}"#, #"{"log":"Authorization: <redacted>"}"#),
        (#"{"log":"Cookie: a=S; b=T"}"#, #"{"log":"Cookie: <redacted>"}"#),
        ("<p>token: S</p>", "<p>token: <redacted></p>"), ("curl -H 'X-Auth: Token S'", "curl -H 'X-Auth: <redacted>"),
        ("status code: 404", "status code: 404"), ("HTTP status code: 404", "HTTP status code: 404"),
        ("see token://h, Token::new, a == key == b", "see token://h, Token::new, a == key == b"),
        ("a?token=S&b=c", "a?token=<redacted>&b=c"), ("user[password]=S&a[b]=c", "user[password]=<redacted>&a[b]=c"),
        ("x;token=S;y=z", "x;token=<redacted>"), (#"a;desc="token=S""#, #"a;desc="token=<redacted>""#),
        ("next=%2Fx%3Ftoken%3DS&a=%2Fb", "next=<redacted>&a=%2Fb"), ("next=%252Fx%253Ftoken%253DS", "next=<redacted>"),
    ])
    func redactsPairsAndLines(text: String, shown: String) {
        #expect(ContentRedactor.takenOut(of: text) == shown)
    }

    @Test(arguments: [
        (#"<input name="csrf_token" value="S">"#, #"<input name="csrf_token" value="<redacted>">"#),
        (#"<input value="S" name="csrf&#95;token">"#, #"<input value="<redacted>" name="csrf&#95;token">"#),
        ("<input type=hidden name=csrf_token value=S>", "<input type=hidden name=csrf_token value=<redacted>>"),
        (#"<INPUT TYPE="password" NAME="p" VALUE="S">"#, #"<INPUT TYPE="password" NAME="p" VALUE="<redacted>">"#),
        (#"<meta name="csrf-token" content="S">"#, #"<meta name="csrf-token" content="<redacted>">"#),
        (#"<meta content="S" name="csrf-token">"#, #"<meta content="<redacted>" name="csrf-token">"#),
        (#"{"x":"<input name=\"pin\" value=\"S\">"}"#, #"{"x":"<input name=\"pin\" value=\"<redacted>\">"}"#),
        (#"<e k="password">S</e>a"#, #"<e k="password"><redacted></e>a"#),
        (#"<e k="password"><em/>S<e>T</e>U</e>a"#, #"<e k="password"><redacted></e>a"#),
        (#"<add key="Password" value="S"/>"#, #"<add key="Password" value="<redacted>"/>"#),
        (#"<add key="Color" value="S"/>"#, #"<add key="Color" value="S"/>"#),
        (#"<input name="password"><p>a</p>"#, #"<input name="password"><p>a</p>"#),
        ("<key>S</key>", "<key><redacted></key>"), ("<key>S</key><a>b</a>", "<key><redacted></key><a>b</a>"),
        ("<key>password</key>\n<string>S</string>", "<key>password</key>\n<string><redacted></string>"),
        ("<key>Name</key><string>a</string>", "<key>Name</key><string>a</string>"),
        ("<name>pin</name><value><int>7</int></value>", "<name>pin</name><value><redacted></value>"),
        (
            "<wsse:Password Type=\"t\">S</wsse:Password>",
            "<wsse:Password Type=\"<redacted>\"><redacted></wsse:Password>"
        ),
        ("<token>a<token>S</token>T</token>b", "<token><redacted></token>b"),
        ("<token><tokens>a</tokens>S</token>b", "<token><redacted></token>b"),
        ("<pin><![CDATA[</pin>]]>S</pin>b", "<pin><redacted></pin>b"), ("<PIN>S</pin>b", "<PIN><redacted></pin>b"),
        ("<token a= 'S'/>b", "<token a= '<redacted>'/>b"), ("<code>S</code>", "<code><redacted></code>"),
        ("<!DOCTYPE html><code>let a</code>", "<!DOCTYPE html><code>let a</code>"),
    ])
    func redactsElementsAndAttributes(text: String, shown: String) {
        #expect(ContentRedactor.takenOut(of: text) == shown)
    }

    @Test(arguments: [
        "Error Domain=NSCocoaErrorDomain Code=260", "unexpected token: '}'", "connection reset (errno: 104)",
        "no value for key: name", "exit code: 5", "authentication: failed",
    ])
    func leavesOrdinarySentencesUnchanged(text: String) {
        #expect(ContentRedactor.takenOut(of: text, kind: .sentence) == text)
        #expect(Redaction.text(text) == text)
    }

    @Test(arguments: [
        "api_key=hunter2 failed", "sent X-Api-Key: hunter2", "token=hunter2", #"{"password": "hunter2"}"#,
    ])
    func redactsSecretsInSentences(text: String) {
        #expect(!Redaction.text(text).contains("hunter2"))
    }
}
