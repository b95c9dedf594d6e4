internal import Apus

extension Flag {
    /// The flags that control how the request is sent and how its response is judged.
    static let exchange: [Flag] = [
        Flag("F", "follow", "Follows redirects, except from https to http.") { $0.follow = true },
        Flag(
            nil,
            "max-redirects",
            .word("number"),
            """
            The maximum number of redirects. 0 follows none. Unlike in HTTPie, N redirects are allowed, not N-1, and 0 \
            does not mean unlimited. (default: 30)
            """
        ) { invocation, text throws(CommandFault) in
            invocation.maxRedirects = try count(text, of: "--max-redirects")
        },
        Flag(
            nil,
            "timeout",
            .word("seconds"),
            """
            The time limit for the whole request. 0 means none. Without this flag, only connecting, TLS and the tunnel \
            of a proxy are limited, to 10 s each.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.timeout = try seconds(text, of: "--timeout")
            invocation.limitsConnecting = false
        },
        Flag(
            nil,
            "retry",
            .word("number"),
            """
            Retries an idempotent request up to this many times, at growing intervals, after a network error or a 408, \
            429, 500, 502, 503 or 504. A body that breaks off is not retried. (default: 0)
            """
        ) { invocation, text throws(CommandFault) in
            invocation.retryLimit = try count(text, of: "--retry")
        },
        Flag(
            nil,
            "limit-rate",
            .word("bytes"),
            "The maximum number of bytes per second, in each direction. K, M and G are powers of 1024: 500K."
        ) { invocation, text throws(CommandFault) in
            invocation.rateLimit = try rate(text, of: "--limit-rate")
        },
        Flag(nil, "check-status", "Treats statuses from 300 on as errors; see EXIT CODES.") { $0.checkStatus = true },
        Flag(
            nil,
            "proxy",
            .word("url"),
            """
            The proxy: http://, https://, socks5:// or socks5h://, with user:password@ if it needs them; http:URL or \
            https:URL for requests of one scheme; or none. Without this flag, http_proxy, https_proxy and all_proxy \
            name it.
            """
        ) { invocation, text throws(CommandFault) in
            try invocation.proxies.take(text)
        },
        Flag(
            nil,
            "no-proxy",
            .text("list"),
            """
            The hosts, addresses and networks that are reached without a proxy, with commas between them. Without this \
            flag and --proxy, no_proxy lists them.
            """
        ) { $0.proxies.exceptions = $1 },
        Flag(
            nil,
            "http-version",
            .word("1.1|2"),
            """
            The version of HTTP. Without this flag it is 2 if the server chooses that over TLS, otherwise 1.1. With 2, an \
            http:// server must support it without negotiation.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.protocols = try protocols(text)
        },
        Flag(nil, "offline", "Shows the request without sending it.") { $0.isOffline = true },
        Flag(
            nil,
            "curl",
            "Shows the request as a curl command, with its passwords, without sending it."
        ) { $0.showsCurl = true },
    ]

    /// The flags that record exchanges in addition to the output.
    static let watching: [Flag] = [
        Flag(
            nil,
            "har",
            .file(),
            """
            Writes every exchange to a file, as an archive (HAR 1.2) for browsers and other tools. Secrets are \
            removed, bodies are cut off after 1 MiB.
            """
        ) { invocation, text throws(CommandFault) in
            invocation.watching.archive = try Watching.file(text, of: "--har")
        },
        Flag(
            nil,
            "waterfall",
            .file("file.svg"),
            "Draws the phases of each exchange over time, as an SVG picture."
        ) { invocation, text throws(CommandFault) in
            invocation.watching.picture = try Watching.file(text, of: "--waterfall")
        },
        Flag(
            nil,
            "from-har",
            .file(),
            """
            Draws the exchanges of any archive instead of sending a request: as text, or as the picture of --waterfall.
            """
        ) { $0.drawnArchive = $1 },
        Flag(nil, "trace", "Logs each step of the request to standard error, with its time.") {
            $0.watching.traces = true
        },
    ]

    /// The flags that show a text instead of sending a request.
    static let options: [Flag] = [
        Flag(nil, "help", "Shows this text.") { $0.shownText = .help },
        Flag(nil, "version", "Shows the version.") { $0.shownText = .version },
        Flag(
            nil,
            "generate-completion-script",
            .choice("shell", CompletionScript.Shell.self),
            "Shows a script that completes flags in a shell."
        ) { invocation, text throws(CommandFault) in
            invocation.shownText = .completions(try choice(text, of: "--generate-completion-script"))
        },
    ]

    /// The flags, grouped by the section titles of the help.
    static var sections: [(title: String, flags: [Flag])] {
        [
            ("REQUEST", request), ("OUTPUT", output), ("TRANSFERS", transfers), ("EXCHANGE", exchange),
            ("TLS", security), ("NETWORK", network), ("WATCHING", watching), ("OPTIONS", options),
        ]
    }

    private static func protocols(_ text: String) throws(CommandFault) -> HTTPProtocols {
        switch text {
        case "1.1": .http1
        case "2": .http2
        default: throw CommandFault("--http-version needs 1.1 or 2, not '\(text)'")
        }
    }

    /// Parses a number of seconds. Returns `nil` for 0, which means no limit.
    private static func seconds(_ text: String, of flag: String) throws(CommandFault) -> Duration? {
        guard let seconds = Double(text), seconds >= 0, seconds < 1e9 else {
            throw CommandFault("\(flag) needs a number of seconds from 0 to 999999999, not '\(text)'")
        }
        return seconds == 0 ? nil : .seconds(seconds)
    }

    /// Parses a number of bytes per second, with an optional K, M or G for a power of 1024.
    private static func rate(_ text: String, of flag: String) throws(CommandFault) -> Int {
        let shift: Int? =
            switch text.last {
            case "K", "k": 10
            case "M", "m": 20
            case "G", "g": 30
            default: nil
            }
        let digits = shift == nil ? text[...] : text.dropLast()
        if let count = Int(digits), count > 0, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let (bytes, overflows) = count.multipliedReportingOverflow(by: 1 << (shift ?? 0))
            if !overflows { return bytes }
        }
        throw CommandFault("\(flag) needs a number of bytes per second such as 500K or 2M, at least 1, not '\(text)'")
    }
}
