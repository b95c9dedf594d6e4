/// Generates the shell scripts that complete flags, from the table of flags.
enum CompletionScript {
    /// The supported shells.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// Returns the script for a shell.
    static func text(for shell: Shell) -> String {
        let flags = Flag.sections.flatMap(\.flags)
        return switch shell {
        case .bash: bash(flags)
        case .zsh: zsh(flags)
        case .fish: fish(flags)
        }
    }

    /// Returns the ways to type a flag: `--output`, `-o`.
    private static func spellings(of flag: Flag) -> [String] {
        ["--\(flag.name)"] + (flag.letter.map { ["-\($0)"] } ?? [])
    }

    private static func bash(_ flags: [Flag]) -> String {
        var cases = ""
        for flag in flags {
            guard let value = flag.value else { continue }
            let action =
                if !value.choices.isEmpty {
                    "COMPREPLY=($(compgen -W '\(value.choices.joined(separator: " "))' -- \"$cur\"))"
                } else if value.isFile {
                    "COMPREPLY=($(compgen -f -- \"$cur\"))"
                } else {
                    ":"
                }
            cases += "        \(spellings(of: flag).joined(separator: "|"))) \(action); return ;;\n"
        }
        return """
            # Completes the flags of apus in bash: apus --generate-completion-script bash
            _apus() {
                local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD - 1]}"
                COMPREPLY=()
                # bash takes the = of --flag=value for a word.
                if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev="${COMP_WORDS[COMP_CWORD - 2]}"; fi
                case "$prev" in
            \(cases)    esac
                case "$cur" in
                    -*) COMPREPLY=($(compgen -W '\(flags.flatMap(spellings).joined(separator: " "))' -- "$cur")) ;;
                esac
            }
            complete -o default -F _apus apus

            """
    }

    private static func zsh(_ flags: [Flag]) -> String {
        var lines = ""
        for flag in flags {
            let help = flag.help.escaped(["\\", "[", "]", ":"])
            var value = ""
            if let wanted = flag.value {
                let name = wanted.name.escaped(["\\", ":", "[", "]"])
                let action =
                    if !wanted.choices.isEmpty {
                        "(\(wanted.choices.joined(separator: " ")))"
                    } else {
                        wanted.isFile ? "_files" : " "
                    }
                value = ":\(name):\(action)"
            }
            for spelling in spellings(of: flag) {
                let typed = flag.value == nil ? spelling : spelling + (spelling.utf8.count > 2 ? "=" : "+")
                lines += "    \(quoted("*\(typed)[\(help)]\(value)")) \\\n"
            }
        }
        return """
            #compdef apus
            # Completes the flags of apus in zsh: apus --generate-completion-script zsh
            _arguments -s \\
            \(lines)    '*:: :_files'

            """
    }

    private static func fish(_ flags: [Flag]) -> String {
        var lines = ""
        for flag in flags {
            lines += "complete -c apus"
            if let letter = flag.letter { lines += " -s \(letter)" }
            lines += " -l \(flag.name)"
            if let value = flag.value {
                lines += value.isFile ? " -r -F" : " -x"
                if !value.choices.isEmpty { lines += " -a '\(value.choices.joined(separator: " "))'" }
            }
            lines += " -d '\(flag.help.escaped(["\\", "'"]))'\n"
        }
        return "# Completes the flags of apus in fish: apus --generate-completion-script fish\n" + lines
    }

    /// Returns the text as a quoted word for a POSIX shell.
    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}

extension String {
    /// Returns the text with a backslash before each of these characters.
    fileprivate func escaped(_ characters: Set<Character>) -> String {
        reduce(into: "") { text, character in
            if characters.contains(character) { text += "\\" }
            text.append(character)
        }
    }
}
