internal import ApusCore
internal import ApusDiagnostics
internal import Foundation

/// Small archives in the form that browsers write.
enum ArchiveFixtures {
    /// Chrome's archive: a page, members with a leading underscore, and a failure with status 0 and no address.
    static let chrome = #"""
        {
          "log": {
            "version": "1.2",
            "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [
              {
                "startedDateTime": "2026-05-01T12:00:00.000Z",
                "id": "page_1",
                "title": "https://shop.example/?session=sesame",
                "pageTimings": {"onContentLoad": 412.5, "onLoad": 630.25}
              }
            ],
            "entries": [
              {
                "_connectionId": "67",
                "_initiator": {"type": "other"},
                "_priority": "VeryHigh",
                "_resourceType": "document",
                "cache": {},
                "connection": "443",
                "pageref": "page_1",
                "request": {
                  "method": "GET",
                  "url": "https://shop.example/?session=sesame",
                  "httpVersion": "http/2.0",
                  "headers": [{"name": ":authority", "value": "shop.example"}],
                  "queryString": [{"name": "session", "value": "sesame"}],
                  "cookies": [],
                  "headersSize": -1,
                  "bodySize": 0
                },
                "response": {
                  "status": 200,
                  "statusText": "",
                  "httpVersion": "http/2.0",
                  "headers": [{"name": "content-type", "value": "text/html"}],
                  "cookies": [
                    {
                      "name": "a", "value": "1", "path": "/", "domain": "shop.example",
                      "expires": "2027-05-01T12:00:00.000Z", "httpOnly": true, "secure": true, "sameSite": "Lax"
                    }
                  ],
                  "content": {"size": 1256, "mimeType": "text/html", "compression": 600, "text": "<html></html>"},
                  "redirectURL": "",
                  "headersSize": -1,
                  "bodySize": -1,
                  "_transferSize": 756,
                  "_error": null
                },
                "serverIPAddress": "[2001:db8::1]",
                "startedDateTime": "2026-05-01T12:00:00.010Z",
                "time": 100.00000004656613,
                "timings": {
                  "blocked": 5.25, "dns": 10.5, "ssl": 20.0, "connect": 40.25, "send": 0.5, "wait": 30.0,
                  "receive": 13.5, "_blocked_queueing": 4.1, "_workerStart": -1
                }
              },
              {
                "_fromCache": "memory",
                "cache": {"beforeRequest": {"lastAccess": "", "eTag": "", "hitCount": 0}},
                "pageref": "page_1",
                "request": {
                  "method": "GET", "url": "https://cdn.example/lib.js", "httpVersion": "http/2.0",
                  "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0
                },
                "response": {
                  "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
                  "content": {"size": 0, "mimeType": "x-unknown"},
                  "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 0,
                  "_error": "net::ERR_BLOCKED_BY_CLIENT"
                },
                "serverIPAddress": "",
                "startedDateTime": "2026-05-01T12:00:00.120Z",
                "time": 0.7,
                "timings": {
                  "blocked": 0.7, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 0, "receive": 0
                }
              },
              {
                "request": {"method": "GET", "url": "data:image/png;base64,AAAA"},
                "response": {"status": 200},
                "startedDateTime": "2026-05-01T12:00:00.130Z"
              }
            ]
          }
        }
        """#

    /// Firefox's archive: a browser, a time zone, a fractional length, and a TLS time outside of the connect time.
    static let firefox = #"""
        {"log": {
          "version": "1.2",
          "creator": {"name": "Firefox", "version": "128.0"},
          "browser": {"name": "Firefox", "version": "128.0"},
          "pages": [
            {"id": "page_1", "pageTimings": {"onContentLoad": -1, "onLoad": -1},
             "startedDateTime": "2026-05-01T14:00:00.000+02:00", "title": "One"},
            {"id": "page_2", "startedDateTime": "2026-05-01T14:00:05.000+02:00", "title": "Two"}
          ],
          "entries": [
            {"startedDateTime": "2026-05-01T14:00:00.100+02:00",
             "request": {"bodySize": 11, "method": "POST", "url": "https://api.example/login", "httpVersion": "HTTP/1.1",
               "headers": [{"name": "Host", "value": "api.example"}], "cookies": [{"name": "sid", "value": "1"}],
               "queryString": [], "headersSize": 412.0,
               "postData": {"mimeType": "application/x-www-form-urlencoded", "text": "a=1&b=2%203",
                 "params": [{"name": "a", "value": "1"}, {"name": "b", "value": "2 3"}]}},
             "response": {"status": 302, "statusText": "Found", "httpVersion": "HTTP/1.1",
               "headers": [{"name": "Location", "value": "/home"}],
               "cookies": [{"name": "sid", "value": "2", "expires": "Session"}],
               "content": {"mimeType": "text/html", "size": 0, "comment": "Response bodies are not included"},
               "redirectURL": "/home", "headersSize": 180, "bodySize": 180},
             "cache": {},
             "timings": {"blocked": 0, "dns": 1, "connect": 10, "ssl": 25, "send": 0, "wait": 50, "receive": 0},
             "time": 86, "serverIPAddress": "192.0.2.7", "connection": 443, "pageref": "page_1"},
            {"startedDateTime": "2026-05-01T14:00:05.200+02:00", "pageref": "page_2",
             "request": {"method": "GET", "url": "https://api.example/home", "httpVersion": "HTTP/1.1"},
             "response": {"status": 200, "statusText": "OK", "content": {"mimeType": "text/html", "size": 5,
               "encoding": "base64", "text": "aGVsbG8="}},
             "cache": {}, "timings": {"send": 0, "wait": 20, "receive": 5}, "time": 25}
          ]
        }}
        """#

    static func file(_ text: String, in folder: URL) throws -> URL {
        let file = folder.appending(path: "archive.har")
        try Data(text.utf8).write(to: file)
        return file
    }
}
