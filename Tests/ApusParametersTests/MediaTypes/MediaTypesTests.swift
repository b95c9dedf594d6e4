internal import Testing

@testable internal import ApusParameters

@Suite struct MediaTypesTests {
    /// Parity: AF-multipart-file-name, AF-multipart-mime, AFN-multipart-mime
    @Test(arguments: [
        ("jpg", "image/jpeg"), ("JPG", "image/jpeg"), ("jPeG", "image/jpeg"), ("png", "image/png"),
        ("gif", "image/gif"), ("webp", "image/webp"), ("avif", "image/avif"), ("heic", "image/heic"),
        ("svg", "image/svg+xml"), ("ico", "image/vnd.microsoft.icon"), ("tif", "image/tiff"),
        ("txt", "text/plain"), ("html", "text/html"), ("htm", "text/html"), ("css", "text/css"), ("csv", "text/csv"),
        ("js", "text/javascript"), ("mjs", "text/javascript"), ("md", "text/markdown"), ("ics", "text/calendar"),
        ("json", "application/json"), ("xml", "application/xml"), ("yml", "application/yaml"),
        ("pdf", "application/pdf"), ("zip", "application/zip"), ("gz", "application/gzip"),
        ("tar", "application/x-tar"), ("7z", "application/x-7z-compressed"), ("wasm", "application/wasm"),
        ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("odt", "application/vnd.oasis.opendocument.text"), ("epub", "application/epub+zip"),
        ("mp3", "audio/mpeg"), ("m4a", "audio/mp4"), ("wav", "audio/wav"), ("flac", "audio/flac"),
        ("mp4", "video/mp4"), ("mov", "video/quicktime"), ("mkv", "video/matroska"), ("webm", "video/webm"),
        ("avi", "video/vnd.avi"), ("woff2", "font/woff2"), ("ttf", "font/ttf"), ("stl", "model/stl"),
        ("swift", "text/x-swift"), ("eml", "message/rfc822"), ("bin", "application/octet-stream"),
        ("", "application/octet-stream"), ("nonsense", "application/octet-stream"),
        ("=jpg", "application/octet-stream"),
        ("ſvg", "application/octet-stream"), (".jpg", "application/octet-stream"),
    ])
    func mapsExtensionsToTypes(pathExtension: String, type: String) {
        #expect(MediaTypes.type(forExtension: pathExtension) == type)
    }

    @Test(arguments: [
        ("image/jpeg", "jpg"), ("IMAGE/JPEG", "jpg"), ("text/html; charset=utf-8", "html"), ("text/plain ;x=y", "txt"),
        ("application/json", "json"), ("text/xml", "xml"), ("application/javascript", "js"), ("audio/mpeg", "mp3"),
        ("audio/x-wav", "wav"), ("image/x-icon", "ico"), ("application/x-gzip", "gz"), ("video/mp4", "mp4"),
        ("application/problem+json", "json"), ("application/octet-stream", "bin"),
    ])
    func mapsTypesToExtensions(type: String, pathExtension: String) {
        #expect(MediaTypes.preferredExtension(for: type) == pathExtension)
    }

    @Test(arguments: ["", "image", "image/", "image/nonsense", "jpg", "/jpeg", "=jpg"])
    func doesNotGuess(type: String) {
        #expect(MediaTypes.preferredExtension(for: type) == nil)
    }

    @Test func listsEachExtensionAndTypeOnceInLowerCase() {
        var extensions: Set<Substring> = []
        var types: Set<String> = []
        for (type, names) in MediaTypes.entries {
            #expect(types.insert(type).inserted, "\(type) is there twice")
            #expect(type == type.lowercased())
            #expect(!names.isEmpty, "\(type) has no end")
            for name in names where name.first != "=" {
                #expect(extensions.insert(name).inserted, "\(name) is there twice")
                #expect(name == name.lowercased())
            }
        }
        #expect((300...1000).contains(extensions.count))
        for (type, names) in MediaTypes.entries {
            for name in names where name.first == "=" {
                #expect(extensions.contains(name.dropFirst()), "\(type) borrows \(name) of no type")
            }
        }
    }

    @Test func mapsPreferredExtensionsBackToTheirTypes() {
        for (type, names) in MediaTypes.entries where names.first?.first != "=" {
            #expect(MediaTypes.preferredExtension(for: type).map(MediaTypes.type) == type)
        }
    }
}
