import Testing

@testable import ApusCommand

@Suite struct JSONBodyTreeTests {
    private func json(_ arguments: [String]) throws -> String {
        let items = try arguments.map { argument in try RequestItem(argument) }
        let files = Files(workingDirectory: "/nowhere", home: nil)
        let content = try ItemContent(items, style: .json(isExplicit: false), files: files).content
        guard case .bytes(let bytes) = content else { throw CommandFault("there is no content") }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (["z=1", "a:=2", "z=3"], #"{"z": "3", "a": 2}"#),
        (["user[name]=Ada", "user[age]:=36"], #"{"user": {"name": "Ada", "age": 36}}"#),
        (["langs[]=de", "langs[]=en"], #"{"langs": ["de", "en"]}"#),
        (["a[2]=c", "a[0]=a"], #"{"a": ["a", null, "c"]}"#),
        (["a[1][x]=y", "a[0][x]=z"], #"{"a": [{"x": "z"}, {"x": "y"}]}"#),
        (["[]:=1", "[]:=2"], "[1, 2]"), (["[0][a]=b"], #"[{"a": "b"}]"#),
        (["[]:=0", "[3]:=3", "[]:=4"], "[0, null, null, 3, 4]"),
        (["a[][b]=1", "a[][b]=2"], #"{"a": [{"b": "1"}, {"b": "2"}]}"#),
        (["[][a][b][]:=1", "[0][a][b][]:=2", "[][]:=2"], #"[{"a": {"b": [1, 2]}}, [2]]"#),
        (["k[]:=1", "k[][]:=2", "k[][][]:=3", "k[][][]:=4"], #"{"k": [1, [2], [[3]], [[4]]]}"#),
        (["x[0]:=1", "x[]:=2", "x[][]:=4", "x[][]:=5"], #"{"x": [1, 2, [4], [5]]}"#),
        (["a[b][2][c][d]=e"], #"{"a": {"b": [null, null, {"c": {"d": "e"}}]}}"#),
        (["a[1][]:=5", "a[]:=6", "a[][]:=7", "a[][x]=y"], #"{"a": [null, [5], 6, [7], {"x": "y"}]}"#),
        // A gap, or any other null, takes the type that the next item needs.
        (["a[1]=b", "a[0][c]=d"], #"{"a": [{"c": "d"}, "b"]}"#), (["a:=null", "a[]=b"], #"{"a": ["b"]}"#),
        (["=x", "a=b"], #"{"": "x", "a": "b"}"#), ([":=[1]", "a=b"], #"{"": [1], "a": "b"}"#),
        (["5=x", "007=y", "-1=z"], #"{"5": "x", "007": "y", "-1": "z"}"#),
        (["a[ b ]=c", "a[!][?]=d"], #"{"a": {" b ": "c", "!": {"?": "d"}}}"#),
        (["e\u{301}=1", "\u{E9}=2"], "{\"e\u{301}\": \"1\", \"\u{E9}\": \"2\"}"),
    ])
    func nestsAsHTTPieDoes(arguments: [String], expected: String) throws {
        #expect(try json(arguments) == expected)
    }

    @Test(arguments: [
        (["a:=[1, 2,3]", "a[]:=4"], #"{"a": [1, 2, 3, 4]}"#),
        (["a:=[2012, 2013]", "a[0]:=2014"], #"{"a": [2014, 2013]}"#),
        ([#"a:={"b" : {"c" : [1.10]}, "d":"e" }"#, "a[b][c][]=x"], #"{"a": {"b": {"c": [1.10, "x"]}, "d": "e"}}"#),
        ([#"a:={"é":[{}, [[ ]], "]"]}"#, "a[é][1][0][]:=2"], #"{"a": {"é": [{}, [[2]], "]"]}}"#),
        (
            [#"a:={"\u0061\n\ud83d\ude80\ud800":1}"#, "a[a\n🚀]=2"],
            #"{"a": {"\u0061\n\ud83d\ude80\ud800": 1, "a\n🚀": "2"}}"#
        ),
        ([#"a:={"\u0062\t\/":1}"#, "a[b\t/]=2"], #"{"a": {"\u0062\t\/": "2"}}"#),
        ([#"a:={"b":1,"b":2}"#, "a[b]=3"], #"{"a": {"b": 1, "b": "3"}}"#),
        // An unmodified value stays as typed.
        ([#"a:={"b" : 1.0 }"#, "c=d"], #"{"a": {"b" : 1.0 }, "c": "d"}"#),
    ])
    func modifiesGivenJSON(arguments: [String], expected: String) throws {
        #expect(try json(arguments) == expected)
    }

    @Test(arguments: [
        ([#"a\[0\]=x"#], #"{"a[0]": "x"}"#), ([#"\[\]:=1"#, #"\]:=2"#], #"{"[]": 1, "]": 2}"#),
        ([#"a\[b\][c]:=1"#, #"a[b][\[c\]]:=2"#], #"{"a[b]": {"c": 1}, "a": {"b": {"[c]": 2}}}"#),
        ([#"e\[s\][a][\[b\]][]:=1"#], #"{"e[s]": {"a": {"[b]": [1]}}}"#),
        ([#"a[\1]=x"#, #"\2012[x]:=2"#, #"\1=y"#], #"{"a": {"1": "x"}, "2012": {"x": 2}, "1": "y"}"#),
        // Two backslashes mean one, and a name with a backslash is not a number.
        ([#"a[\\1]:=1"#, #"a[\\\2]:=2"#, #"a[\\\\\3]:=3"#], #"{"a": {"\\1": 1, "\\\\2": 2, "\\\\\\3": 3}}"#),
        ([#"a[-1\\]:=1"#, #"a[\\-3\\\\]:=3"#], #"{"a": {"-1\\": 1, "\\-3\\\\": 3}}"#),
        ([#"A[B\\]=C"#, #"A[\B\\]=C"#], #"{"A": {"B\\": "C", "\\B\\": "C"}}"#),
        // Before any other character, a backslash is literal.
        ([#"a[\dates]:=1"#, #"a[b \2012]:=2"#], #"{"a": {"\\dates": 1, "b \\2012": 2}}"#),
    ])
    func treatsEscapedBracketsAsText(arguments: [String], expected: String) throws {
        #expect(try json(arguments) == expected)
    }

    @Test(arguments: [
        (
            ["foo=1", "foo[key]:=2"],
            "the item 'foo[key]:=2' needs an object for its '[key]' at character 4, but 'foo' is already a string; rename one of them"
        ),
        (["foo=1", "foo[0]:=2"], "needs an array for its '[0]' at character 4, but 'foo' is already a string"),
        (["foo:=-1", "foo[]:=2"], "needs an array for its '[]' at character 4, but 'foo' is already a number"),
        (["foo:=true", "foo[]:=2"], "but 'foo' is already a boolean"),
        (["d[key]=1", "d[0]=2"], "needs an array for its '[0]' at character 2, but 'd' is already an object"),
        (
            ["f[b][z][5]:=[1]", "f[b][z][5][]:=4", "f[b][z][key][]:=5"],
            "needs an object for its '[key]' at character 8, but 'f[b][z]' is already an array"
        ),
        (["foo[0]:=1", #"foo[\2]:=3"#], #"for its '[\2]' at character 4, but 'foo' is already an array"#),
        (["x=y", "[]:=2"], "needs an array for its '[]' at character 1, but the body is already an object"),
        (["[]:=2", "x=y"], "needs an object for its 'x' at character 1, but the body is already an array"),
        (["[]:=4", ":=[1]"], "needs an object for its '' at character 1, but the body is already an array"),
        ([":=[1]", "[]:=4"], "but the body is already an object"),
        (["é👩‍🚀[a]=1", "é👩‍🚀[]=2"], "at character 5, but 'é👩‍🚀' is already an object"),
    ])
    func reportsConflictsAndTheirPosition(arguments: [String], expected: String) {
        let fault = #expect(throws: CommandFault.self) { try json(arguments) }
        #expect(fault?.sentence.contains(expected) == true, "\(fault?.sentence ?? "")")
    }

    @Test func limitsTheDepth() throws {
        let deep = String(repeating: "[]", count: JSONFormatter.depthLimit)
        #expect(try json([deep + "=x"]).hasPrefix("[[[["))
        #expect(throws: CommandFault.self) { try json([deep + "[]=x"]) }
    }

    @Test func escapesStrings() throws {
        #expect(try json(["a=\"\\\n\t\u{1}é"]) == #"{"a": "\"\\\n\t\u0001é"}"#)
    }
}
