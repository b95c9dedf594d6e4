internal import Apus
internal import ApusPlatform
internal import Foundation

/// The file of a download while its body arrives: FILE.part, which takes the place of FILE at the end.
struct DownloadPart {
    /// The name of FILE for messages, as it was typed or chosen.
    let name: String
    /// The name of the part for messages.
    let partName: String
    let file: PartialFile
    /// The permissions of the file that is replaced, or `nil` if there is none.
    private let permissions: UInt16?

    /// - Parameters:
    ///   - path: The path of FILE.
    ///   - name: Its name for messages.
    ///   - replaces: Whether an existing file is replaced.
    ///   - isLinked: Whether the name is that of a link to FILE.
    /// - Throws: `ApusError`: `fileUnwritable`, `fileExists` or `fileInUse`.
    private init(_ path: String, name: String, replaces: Bool, isLinked: Bool = false) throws(ApusError) {
        // Without a slash before it, a tilde would stand for a home.
        let location = path.hasPrefix("/") ? path : "./\(path)"
        file = try PartialFile(
            for: URL(fileURLWithPath: location, isDirectory: false),
            naming: .stable,
            replaces: replaces,
            makesFolders: false,
            counters: nil
        )
        let part = file.url
        let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
        partName = isLinked ? part.path(percentEncoded: false) : folder + part.lastPathComponent
        self.name = name
        permissions = replaces ? FileStatus(path: path)?.permissions : nil
    }

    /// Opens the part of a new file in the working directory, named `name` or, if that is taken, `name-1`, `name-2` and
    /// so on.
    ///
    /// Never replaces a file or link, and begins no part anew that is not one of an earlier download, since the name
    /// comes from the server.
    static func new(_ name: String, files: Files) async throws(CommandFault) -> DownloadPart {
        for number in 0..<10_000 {
            let candidate = SuggestedFileName.numbered(name, number)
            // A tilde in a name from the server is no home.
            let path = files.path("./\(candidate)")
            guard !FileStatus.isTaken(path) else { continue }
            let hasPart = FileStatus.isTaken("\(path).part")
            // A record without a part is a file of another program.
            guard hasPart || !FileStatus.isTaken("\(path).part.json") else { continue }
            let part: DownloadPart
            do throws(ApusError) {
                part = try DownloadPart(path, name: candidate, replaces: false)
            } catch {
                // Another download writes to the part, or its name is that of something else.
                guard hasPart else {
                    throw CommandFault("'\(candidate)' can't be created: \(error.detail); name a file with --output")
                }
                continue
            }
            guard part.file.hasUnknownOrigin else { return part }
            await part.close()
        }
        throw CommandFault("'\(name)' and ten thousand similar names are taken; name a file with --output")
    }

    /// Opens the part of the file of `--output`.
    ///
    /// - Returns: `nil` if that is written directly: a device or a pipe, the file of the output, or a file in a folder
    ///   that can't be written.
    static func replacing(_ name: String, files: Files) throws(CommandFault) -> DownloadPart? {
        let typed = files.path(name)
        guard let path = replaceable(typed) else { return nil }
        return try open(path, name: name, replaces: true, isLinked: path != typed)
    }

    /// Opens the part of a file in the working directory, for `--continue` without `--output`.
    static func continuing(_ name: String, files: Files) throws(CommandFault) -> DownloadPart {
        let path = files.path("./\(name)")
        guard !FileStatus.isTaken(path) else {
            throw CommandFault("'\(name)' exists already; remove it, or name another file with --output")
        }
        return try open(path, name: name, replaces: false)
    }

    private static func open(
        _ path: String,
        name: String,
        replaces: Bool,
        isLinked: Bool = false
    ) throws(CommandFault) -> DownloadPart {
        do throws(ApusError) {
            return try DownloadPart(path, name: name, replaces: replaces, isLinked: isLinked)
        } catch {
            throw CommandFault("\(error.detail); name another file with --output")
        }
    }

    /// Returns the path of the file that can be replaced as `path`, after links. `nil` if there is none.
    static func replaceable(_ path: String) -> String? {
        // A descriptor stands for a file that is open already, which must stay the same one.
        guard !["/dev/fd/", "/dev/std", "/proc/"].contains(where: { path.hasPrefix($0) }) else { return nil }
        guard FileStatus.isTaken(path) else { return path }
        guard FileStatus(path: path)?.kind == .regular, !FileDescriptor.isOutput(path) else { return nil }
        let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
        guard let target = isLink ? resolved(path) : path else { return nil }
        let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? "."
        return access(folder, W_OK) == 0 ? target : nil
    }

    private static func resolved(_ path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}

extension DownloadPart {
    /// Begins the part anew, as that of the recorded representation.
    func begin(_ record: PartialFileRecord) async throws(ApusError) {
        try await file.begin(record)
        // A file that only its owner can read stays so.
        if let permissions { chmod(file.url.path(percentEncoded: false), mode_t(permissions)) }
    }

    /// Removes the bytes of an earlier download, and closes the part, so that the library begins it anew.
    ///
    /// - Parameter url: The URL of the download.
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    func clear(for url: String) async throws(ApusError) {
        // An empty part keeps the permissions of the file that is replaced.
        guard permissions != nil else { return await file.discard() }
        try await begin(PartialFileRecord(url: url, validator: nil, total: nil))
        await file.keep()
    }

    /// Closes the part, and removes it if it has no bytes. Does nothing if it is closed already.
    ///
    /// - Returns: The number of its received bytes.
    @discardableResult
    func close() async -> Int64 {
        let count = file.received.byteCount
        if count > 0 { await file.keep() } else { await file.discard() }
        return count
    }
}
