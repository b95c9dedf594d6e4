internal import ApusCore

extension HTTPArchive: Codable {
    private enum RootKeys: String, CodingKey { case log }

    private enum CodingKeys: String, CodingKey { case version, creator, browser, pages, entries, comment }

    public init(from decoder: any Decoder) throws {
        let log = try decoder.container(keyedBy: RootKeys.self).nestedContainer(keyedBy: CodingKeys.self, forKey: .log)
        self.init(
            version: try log.text(.version) ?? "1.2",
            creator: try log.decodeIfPresent(Agent.self, forKey: .creator) ?? Agent(name: "", version: ""),
            browser: try log.decodeIfPresent(Agent.self, forKey: .browser),
            pages: try log.decodeIfPresent([Page].self, forKey: .pages) ?? [],
            entries: try log.decode([Entry].self, forKey: .entries),
            comment: try log.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: RootKeys.self)
        var log = root.nestedContainer(keyedBy: CodingKeys.self, forKey: .log)
        try log.encode(version, forKey: .version)
        try log.encode(creator, forKey: .creator)
        try log.encodeIfPresent(browser, forKey: .browser)
        if !pages.isEmpty { try log.encode(pages, forKey: .pages) }
        try log.encode(entries, forKey: .entries)
        try log.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Agent: Codable {
    private enum CodingKeys: String, CodingKey { case name, version, comment }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.text(.name) ?? "",
            version: try members.text(.version) ?? "",
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encode(version, forKey: .version)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Page: Codable {
    private enum CodingKeys: String, CodingKey { case startedDateTime, id, title, pageTimings, comment }

    private enum TimingKeys: String, CodingKey { case onContentLoad, onLoad }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let timings =
            members.contains(.pageTimings)
            ? try members.nestedContainer(keyedBy: TimingKeys.self, forKey: .pageTimings) : nil
        self.init(
            startedDateTime: try members.timestamp(.startedDateTime),
            id: try members.text(.id) ?? "",
            title: try members.text(.title) ?? "",
            onContentLoad: try timings?.milliseconds(.onContentLoad),
            onLoad: try timings?.milliseconds(.onLoad),
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(HARTimestamp.text(startedDateTime), forKey: .startedDateTime)
        try members.encode(id, forKey: .id)
        try members.encode(title, forKey: .title)
        var timings = members.nestedContainer(keyedBy: TimingKeys.self, forKey: .pageTimings)
        try timings.encode(milliseconds: onContentLoad, forKey: .onContentLoad)
        try timings.encode(milliseconds: onLoad, forKey: .onLoad)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Entry: Codable {
    private enum CodingKeys: String, CodingKey {
        case pageref, startedDateTime, time, request, response, cache, timings, serverIPAddress, connection, comment
        case cause = "_cause"
        case requestNumber = "_request"
        case streamNumber = "_stream"
    }

    /// The browser cache state, always written empty.
    private struct Cache: Encodable {}

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let timings =
            try members.decodeIfPresent(HTTPArchive.Timings.self, forKey: .timings)
            ?? HTTPArchive.Timings(send: .zero, wait: .zero, receive: .zero)
        self.init(
            pageref: try members.text(.pageref),
            startedDateTime: try members.timestamp(.startedDateTime),
            time: try members.milliseconds(.time) ?? timings.total,
            request: try members.decode(HTTPArchive.Request.self, forKey: .request),
            response: try members.decodeIfPresent(HTTPArchive.Response.self, forKey: .response) ?? .missing,
            timings: timings,
            serverIPAddress: try members.text(.serverIPAddress),
            connection: try members.text(.connection),
            comment: try members.text(.comment),
            cause: try members.text(.cause),
            requestNumber: try members.number(.requestNumber),
            // In an archive of another program, the name may mean something else.
            streamNumber: try? members.number(.streamNumber)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(pageref, forKey: .pageref)
        try members.encode(HARTimestamp.text(startedDateTime), forKey: .startedDateTime)
        try members.encode(milliseconds: time, forKey: .time)
        try members.encode(request, forKey: .request)
        try members.encode(response, forKey: .response)
        try members.encode(Cache(), forKey: .cache)
        try members.encode(timings, forKey: .timings)
        try members.encodeIfPresent(serverIPAddress, forKey: .serverIPAddress)
        try members.encodeIfPresent(connection, forKey: .connection)
        try members.encodeIfPresent(comment, forKey: .comment)
        try members.encodeIfPresent(cause, forKey: .cause)
        try members.encodeIfPresent(requestNumber, forKey: .requestNumber)
        try members.encodeIfPresent(streamNumber, forKey: .streamNumber)
    }
}

extension HTTPArchive.Timings: Codable {
    private enum CodingKeys: String, CodingKey { case blocked, dns, connect, ssl, send, wait, receive, comment }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            blocked: try members.milliseconds(.blocked),
            dns: try members.milliseconds(.dns),
            connect: try members.milliseconds(.connect),
            ssl: try members.milliseconds(.ssl),
            send: try members.milliseconds(.send) ?? .zero,
            wait: try members.milliseconds(.wait) ?? .zero,
            receive: try members.milliseconds(.receive) ?? .zero,
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(milliseconds: blocked, forKey: .blocked)
        try members.encode(milliseconds: dns, forKey: .dns)
        try members.encode(milliseconds: connect, forKey: .connect)
        try members.encode(milliseconds: ssl, forKey: .ssl)
        try members.encode(milliseconds: send, forKey: .send)
        try members.encode(milliseconds: wait, forKey: .wait)
        try members.encode(milliseconds: receive, forKey: .receive)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}
