/// The text of `--help`. The flags are generated from their table, and the rest is written by hand.
enum HelpText {
    /// The whole text, for a terminal of 80 columns.
    static var text: String {
        """
        apus \(Command.version), an HTTP client for the command line, in HTTPie's grammar

        USAGE: apus [FLAG...] [METHOD] URL [ITEM...]
               apus --from-har FILE [--waterfall FILE.svg]
               apus --queue FOLDER --run
               apus --queue FOLDER --list

          METHOD                  GET, POST, PUT and so on. Without it: POST if there is
                                  a body, else GET.
          URL                     Without a scheme it gets http://, and :8080/x is
                                  localhost:8080/x.

        ITEMS:
          Header:value            Sends a field. 'Header:' removes a default field,
                                  'Header;' sends an empty one.
          name==value             Adds to the query of the URL.
          name=value              A string in the JSON body, or a field of the form.
          name:=json              Any JSON in the JSON body.
          user[name]=value        Sets a member of an object in the JSON body.
                                  tags[]=value appends to a list, tags[3]=value sets
                                  its fourth element, and []=value makes the body a
                                  list. Quote these names for the shell.
          @file                   The file is the body.
          name@file               The file is a part of the form, with --form or
                                  --multipart; 'name@file;type=image/png' sets its type,
                                  which is otherwise guessed from its name.
          =@  :=@  ==@  :@        As above, with the value read from a file:
                                  text=@notes.txt, data:=@data.json.

          A backslash before : ; = or @ makes it an ordinary character: a\\:b=c. The
          same holds for [ ] and a number between them: a[\\1]=b
          Without a body in the items, piped input is the body, unless it is empty.
          A file can be a pipe: @/dev/stdin, @<(command).

          --no-FLAG cancels an earlier flag, such as one from an alias: --no-follow.

        \(flags)

        EXAMPLES:
          apus example.org                        GET, shown in color
          apus :8080/users name=Ada age:=36       POST of a JSON object to localhost
          apus :8080/users 'name[first]=Ada' 'tags[]=a' 'tags[]=b'
          apus -f example.org/search q=swift      POST of a form
          apus example.org/search q==swift page==2
          apus PUT example.org/notes X-Token:abc @notes.json
          apus -f example.org/photos title=Sea photo@sea.jpg
          apus -F -d example.org/archive.zip      saves archive.zip
          apus -d -c example.org/archive.zip      goes on after a failure
          apus -d --segments 4 example.org/a.iso  four connections, one file
          apus --resumable example.org @sea.mp4   an upload that can go on too
          apus --queue jobs -d -o a.zip example.org/a.zip
          apus --queue jobs PUT example.org/b @b.iso
          apus --queue jobs --run                 performs all that was added
          apus --queue jobs --list                shows their states
          apus example.org/users | jq .           the body alone, untouched
          apus --pretty=format --sorted example.org/users > users.json
          apus -x example.org/notes text=@long.txt
          apus -A bearer -a mF_9.B5f example.org  authenticates with a token
          apus --session=ada -a ada example.org   asks for the password, and stores it
          apus --session=ada example.org/home     uses the password and the cookies
          apus -v --offline example.org a=b       shows the request, sends nothing
          apus --curl example.org a=b             shows the request as a curl command
          apus -F --har calls.har example.org     an archive of all exchanges
          apus --proxy socks5h://127.0.0.1:9050 example.org
          apus --from-har calls.har               draws the exchanges of an archive

        EXIT CODES:
          0  There was a response.
          1  No response, or another error; see standard error. Also if a
             transfer of --run has failed.
          2  The request timed out.
          3  --check-status: a redirect that was not followed.
          4  --check-status or --download: the status was 4xx.
          5  --check-status or --download: the status was 5xx.
          6  There were more redirects than --max-redirects.

        """
    }
}

extension HelpText {
    /// The column where explanations begin, and their width.
    private static let (indentation, width) = (26, 53)

    /// The flags, grouped by section.
    private static var flags: String {
        Flag.sections.map { title, flags in "\(title):\n" + flags.map(lines).joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    /// Returns the lines of a flag and its explanation.
    private static func lines(of flag: Flag) -> String {
        let label = "  " + (flag.letter.map { "-\($0), " } ?? "") + flag.usage
        let choices = flag.value?.choices ?? []
        let help = flag.help + (choices.isEmpty ? "" : " (values: \(choices.joined(separator: ", ")))")
        let gap = String(repeating: " ", count: indentation)
        let explanation = wrapped(help).joined(separator: "\n" + gap)
        // The label needs at least two spaces after it. Otherwise the explanation starts on the next line.
        guard label.count <= indentation - 2 else { return "\(label)\n\(gap)\(explanation)" }
        return label + gap.dropFirst(label.count) + explanation
    }

    private static func wrapped(_ text: String) -> [Substring] {
        var lines: [Substring] = []
        for word in text.split(separator: " ") {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] = text[line.startIndex..<word.endIndex]
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
