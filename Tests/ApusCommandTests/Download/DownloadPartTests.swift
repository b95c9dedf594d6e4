import Foundation
import Testing

@testable import ApusCommand

@Suite struct DownloadPartTests {
    private func link(_ name: String, to target: String, in runner: CommandRunner) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(runner.folder)/\(name)",
            withDestinationPath: target
        )
    }

    @Test func neverOpensAnExistingFile() async throws {
        try await CommandRunner.inFolder { runner in
            let files = Files(workingDirectory: runner.folder, home: nil)
            try link("x", to: "\(runner.folder)/outside", in: runner)
            let first = try await DownloadPart.new("x", files: files)
            #expect(first.name == "x-1" && first.partName == "x-1.part")
            // The first one writes to its part.
            let second = try await DownloadPart.new("x", files: files)
            #expect(second.name == "x-2")
            await first.close()
            await second.close()
            #expect(runner.fileNames == ["x"])
            #expect(runner.file("outside") == nil)
        }
    }

    @Test func doesNotExpandATilde() async throws {
        try await CommandRunner.inFolder { runner in
            let files = Files(workingDirectory: runner.folder, home: "\(runner.folder)/home")
            let part = try await DownloadPart.new("~", files: files)
            #expect(runner.fileNames == ["~.part"] && part.partName == "~.part")
            await part.close()
        }
    }

    @Test func skipsPartsOfOthers() async throws {
        try await CommandRunner.inFolder { runner in
            let files = Files(workingDirectory: runner.folder, home: nil)
            try runner.put("mine", in: "x.part")
            try link("x-1.part", to: "\(runner.folder)/outside", in: runner)
            try runner.put("mine", in: "x-2.part.json")
            let part = try await DownloadPart.new("x", files: files)
            #expect(part.name == "x-3")
            await part.close()
            #expect(runner.fileNames == ["x-1.part", "x-2.part.json", "x.part"])
            #expect(runner.file("x.part") == Array("mine".utf8))
        }
    }

    @Test func writesDevicesDirectly() throws {
        let files = Files(workingDirectory: "", home: nil)
        for name in ["/dev/null", "/dev/fd/0", "/dev/stdout", "/proc/self/status"] {
            #expect(try DownloadPart.replacing(name, files: files)?.name == nil, "\(name)")
        }
    }

    @Test func followsALink() async throws {
        try await CommandRunner.inFolder { runner in
            let files = Files(workingDirectory: runner.folder, home: nil)
            try FileManager.default.createDirectory(
                atPath: "\(runner.folder)/real",
                withIntermediateDirectories: false
            )
            try runner.put("old", in: "real/target")
            try link("x", to: "real/target", in: runner)
            try link("nowhere", to: "real/missing", in: runner)
            let part = try #require(try DownloadPart.replacing("x", files: files))
            #expect(part.name == "x")
            #expect(part.partName.hasSuffix("/real/target.part"))
            await part.close()
            // A link that leads nowhere is followed by the system.
            #expect(try DownloadPart.replacing("nowhere", files: files)?.name == nil)
        }
    }

    @Test func namesThePartAsTyped() async throws {
        try await CommandRunner.inFolder { runner in
            let files = Files(workingDirectory: runner.folder, home: nil)
            try FileManager.default.createDirectory(
                atPath: "\(runner.folder)/sub",
                withIntermediateDirectories: false
            )
            let part = try #require(try DownloadPart.replacing("sub/x", files: files))
            #expect(part.partName == "sub/x.part")
            let fault = #expect(throws: CommandFault.self) { try DownloadPart.replacing("sub/x", files: files) }
            #expect(fault?.sentence.contains("in use") == true, "\(fault?.sentence ?? "")")
            await part.close()
        }
    }
}
