internal import ApusCore

extension HTTPArchive.Request: Codable {
    private enum CodingKeys: String, CodingKey {
        case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize, comment
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            method: try members.decode(String.self, forKey: .method),
            url: try members.decode(String.self, forKey: .url),
            httpVersion: try members.text(.httpVersion) ?? "",
            cookies: try members.decodeIfPresent([HTTPArchive.Cookie].self, forKey: .cookies) ?? [],
            headers: try members.decodeIfPresent([HTTPArchive.Pair].self, forKey: .headers) ?? [],
            queryString: try members.decodeIfPresent([HTTPArchive.Pair].self, forKey: .queryString) ?? [],
            postData: try members.decodeIfPresent(HTTPArchive.PostData.self, forKey: .postData),
            headersSize: try members.size(.headersSize),
            bodySize: try members.size(.bodySize),
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(method, forKey: .method)
        try members.encode(url, forKey: .url)
        try members.encode(httpVersion, forKey: .httpVersion)
        try members.encode(cookies, forKey: .cookies)
        try members.encode(headers, forKey: .headers)
        try members.encode(queryString, forKey: .queryString)
        try members.encodeIfPresent(postData, forKey: .postData)
        try members.encode(headersSize ?? -1, forKey: .headersSize)
        try members.encode(bodySize ?? -1, forKey: .bodySize)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Response: Codable {
    private enum CodingKeys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize, comment
        case error = "_error"
    }

    /// The response of an exchange without a known response.
    static let missing = HTTPArchive.Response(
        status: 0,
        statusText: "",
        httpVersion: "unknown",
        cookies: [],
        headers: [],
        content: HTTPArchive.Content(size: 0, mimeType: ""),
        redirectURL: ""
    )

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: Int(clamping: try members.number(.status) ?? 0),
            statusText: try members.text(.statusText) ?? "",
            httpVersion: try members.text(.httpVersion) ?? "",
            cookies: try members.decodeIfPresent([HTTPArchive.Cookie].self, forKey: .cookies) ?? [],
            headers: try members.decodeIfPresent([HTTPArchive.Pair].self, forKey: .headers) ?? [],
            content: try members.decodeIfPresent(HTTPArchive.Content.self, forKey: .content) ?? Self.missing.content,
            redirectURL: try members.text(.redirectURL) ?? "",
            headersSize: try members.size(.headersSize),
            bodySize: try members.size(.bodySize),
            comment: try members.text(.comment),
            error: try members.text(.error)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(status, forKey: .status)
        try members.encode(statusText, forKey: .statusText)
        try members.encode(httpVersion, forKey: .httpVersion)
        try members.encode(cookies, forKey: .cookies)
        try members.encode(headers, forKey: .headers)
        try members.encode(content, forKey: .content)
        try members.encode(redirectURL, forKey: .redirectURL)
        try members.encode(headersSize ?? -1, forKey: .headersSize)
        try members.encode(bodySize ?? -1, forKey: .bodySize)
        try members.encodeIfPresent(comment, forKey: .comment)
        try members.encodeIfPresent(error, forKey: .error)
    }
}

extension HTTPArchive.Pair: Codable {
    private enum CodingKeys: String, CodingKey { case name, value, comment }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.text(.name) ?? "",
            value: try members.text(.value) ?? "",
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encode(value, forKey: .value)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Cookie: Codable {
    private enum CodingKeys: String, CodingKey { case name, value, path, domain, expires, httpOnly, secure, comment }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.text(.name) ?? "",
            value: try members.text(.value) ?? "",
            path: try members.text(.path),
            domain: try members.text(.domain),
            // Some programs write `Session` here.
            expires: try members.text(.expires).flatMap(HARTimestamp.date),
            httpOnly: try members.decodeIfPresent(Bool.self, forKey: .httpOnly),
            secure: try members.decodeIfPresent(Bool.self, forKey: .secure),
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encode(value, forKey: .value)
        try members.encodeIfPresent(path, forKey: .path)
        try members.encodeIfPresent(domain, forKey: .domain)
        try members.encodeIfPresent(expires.map(HARTimestamp.text), forKey: .expires)
        try members.encodeIfPresent(httpOnly, forKey: .httpOnly)
        try members.encodeIfPresent(secure, forKey: .secure)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.PostData: Codable {
    private enum CodingKeys: String, CodingKey {
        case mimeType, params, text, comment
        case encoding = "_encoding"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            mimeType: try members.text(.mimeType) ?? "",
            params: try members.decodeIfPresent([HTTPArchive.Parameter].self, forKey: .params) ?? [],
            text: try members.text(.text),
            encoding: try members.text(.encoding),
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(mimeType, forKey: .mimeType)
        // The format allows only one of both, but browsers write both.
        if !params.isEmpty || text == nil { try members.encode(params, forKey: .params) }
        try members.encodeIfPresent(text, forKey: .text)
        try members.encodeIfPresent(encoding, forKey: .encoding)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Parameter: Codable {
    private enum CodingKeys: String, CodingKey { case name, value, fileName, contentType, comment }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.text(.name) ?? "",
            value: try members.text(.value),
            fileName: try members.text(.fileName),
            contentType: try members.text(.contentType),
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encodeIfPresent(value, forKey: .value)
        try members.encodeIfPresent(fileName, forKey: .fileName)
        try members.encodeIfPresent(contentType, forKey: .contentType)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HTTPArchive.Content: Codable {
    private enum CodingKeys: String, CodingKey { case size, compression, mimeType, text, encoding, comment }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            size: try members.size(.size),
            compression: try members.number(.compression),
            mimeType: try members.text(.mimeType) ?? "",
            text: try members.text(.text),
            encoding: try members.text(.encoding),
            comment: try members.text(.comment)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(size ?? -1, forKey: .size)
        try members.encodeIfPresent(compression, forKey: .compression)
        try members.encode(mimeType, forKey: .mimeType)
        try members.encodeIfPresent(text, forKey: .text)
        try members.encodeIfPresent(encoding, forKey: .encoding)
        try members.encodeIfPresent(comment, forKey: .comment)
    }
}
