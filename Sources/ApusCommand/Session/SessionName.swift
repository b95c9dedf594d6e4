/// The value of `--session`: the name of a session for the requested host, or a file for any host.
struct SessionName: Equatable {
    /// The name or the path, as typed.
    let text: String
    /// Whether an existing session must not be changed.
    let isReadOnly: Bool

    /// Validates the typed text.
    ///
    /// - Throws: `CommandFault` if it is neither a valid name nor a file.
    init(_ text: String, isReadOnly: Bool) throws(CommandFault) {
        self.text = text
        self.isReadOnly = isReadOnly
        guard isFile ? text.last != "/" : !text.isEmpty && text.utf8.allSatisfy(Self.isNameByte) else {
            throw CommandFault(
                """
                \(flag) takes a name of letters, digits, dots, '-' and '_', or a file with a slash in its name, not \
                '\(text)'; a file in the current folder is ./NAME.json
                """
            )
        }
    }

    /// The flag that set the session.
    var flag: String { isReadOnly ? "--session-read-only" : "--session" }

    /// Whether a file was given. For a name, the command chooses the location.
    var isFile: Bool { text.contains("/") }

    /// Returns the path of the session file.
    ///
    /// - Parameters:
    ///   - host: The requested host, with its port unless that is the default.
    ///   - console: Provides the folders.
    /// - Returns: The path of a file that may not exist.
    /// - Throws: `CommandFault` for a name if no session folder can be determined.
    func path(host: String, console: Console) throws(CommandFault) -> String {
        if isFile { return console.files.path(text) }
        guard let sessions = Self.sessions(console) else {
            throw CommandFault("\(flag) \(text) has no folder without HOME; name a file, as in ./\(text).json")
        }
        return "\(sessions)/\(Self.folder(for: host))/\(text).json"
    }

    /// Returns the path from when `host:8080` and a host `host_8080` shared a folder, or `nil` if it is unchanged.
    func formerPath(host: String, console: Console) -> String? {
        let former = Self.plainFolder(for: host)
        guard !isFile, former != Self.folder(for: host), let sessions = Self.sessions(console) else { return nil }
        return "\(sessions)/\(former)/\(text).json"
    }

    /// The folder that holds one folder for each host.
    private static func sessions(_ console: Console) -> String? {
        if let configured = console.environment["XDG_CONFIG_HOME"], configured.hasPrefix("/") {
            return "\(configured)/apus/sessions"
        }
        guard let home = console.environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/.config/apus/sessions"
    }

    /// Returns `host_port` for `host:port`. A host with such a name itself gets an extra underscore: `host_8080_`.
    private static func folder(for host: String) -> String {
        let name = plainFolder(for: host)
        guard !hasPort(host) else { return name }
        var rest = name.utf8[...]
        while rest.last == UInt8(ascii: "_") { rest.removeLast() }
        let digits = rest.reversed().prefix { (0x30...0x39).contains($0) }
        let looksLikePort = !digits.isEmpty && rest.dropLast(digits.count).last == UInt8(ascii: "_")
        return looksLikePort ? name + "_" : name
    }

    private static func hasPort(_ host: String) -> Bool {
        let digits = host.utf8.reversed().prefix { (0x30...0x39).contains($0) }
        return !digits.isEmpty && host.utf8.dropLast(digits.count).last == UInt8(ascii: ":")
    }

    /// Replaces each character that a folder name may not have by an underscore: a Host field can be any text.
    private static func plainFolder(for host: String) -> String {
        let bytes = host.lowercased().utf8.map { isNameByte($0) || $0 == 0x5B || $0 == 0x5D ? $0 : UInt8(ascii: "_") }
        let name = String(decoding: bytes, as: UTF8.self)
        return name.allSatisfy { $0 == "." } ? "_" : name
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
