import Apus
import Testing

@testable import ApusCommand

@Suite struct JSONTreeTests {
    private func json(_ arguments: String...) throws -> String {
        var tree: JSONTree?
        for argument in arguments {
            let item = try RequestItem(argument)
            let value = item.kind == .json ? Array(item.value.utf8) : JSONEscape.quoted(item.value)
            try JSONTree.insert(value, at: NestedKey(item.name), named: item.source, into: &tree)
        }
        return String(decoding: try #require(tree).encoded, as: UTF8.self)
    }

    @Test func keepsTheOrderOfNames() throws {
        #expect(try json("z=1", "a:=2", "z=3") == #"{"z": "3", "a": 2}"#)
    }

    @Test func nestsAsHTTPieDoes() throws {
        #expect(
            try json("user[name]=Ada", "user[langs][]=de", "user[langs][]=en", "user[age]:=36")
                == #"{"user": {"name": "Ada", "langs": ["de", "en"], "age": 36}}"#
        )
        #expect(try json("a[2]=c", "a[0]=a") == #"{"a": ["a", null, "c"]}"#)
        #expect(try json("a[1][x]=y", "a[0][x]=z") == #"{"a": [{"x": "z"}, {"x": "y"}]}"#)
        #expect(try json("[]:=1", "[]:=2") == "[1, 2]")
        #expect(try json("[0][a]=b") == #"[{"a": "b"}]"#)
        #expect(try json("a[][b]=1", "a[][b]=2") == #"{"a": [{"b": "1"}, {"b": "2"}]}"#)
    }

    @Test func takesEscapedBracketsForText() throws {
        #expect(try json(#"a\[0\]=x"#) == #"{"a[0]": "x"}"#)
        #expect(try json(#"a[\1]=x"#) == #"{"a": {"1": "x"}}"#)
        #expect(try json("5=x") == #"{"5": "x"}"#)
        #expect(try json("=x") == #"{"": "x"}"#)
    }

    @Test(arguments: ["a[=1", "a]=1", "a[0=1", "a[b]c=1", "a[-1]=1", "a[99999999]=1"])
    func refusesNamesThatCannotBeTakenApart(argument: String) {
        #expect(throws: CommandFault.self) { try json(argument) }
    }

    @Test func refusesTwoKindsAtOnePlace() {
        #expect(throws: CommandFault.self) { try json("a=1", "a[b]=2") }
        #expect(throws: CommandFault.self) { try json("a[b]=1", "a[]=2") }
        #expect(throws: CommandFault.self) { try json("[]=1", "a=2") }
    }

    @Test func escapesWhatJSONDemands() throws {
        #expect(try json("a=\"\\\n\t\u{1}é") == #"{"a": "\"\\\n\t\u0001é"}"#)
    }
}
