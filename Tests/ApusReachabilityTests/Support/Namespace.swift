#if os(Linux)
    internal import ApusTestServer
    internal import Foundation

    /// A network namespace of Linux, whose interfaces a test may change: see unshare(1).
    ///
    /// The tests of it are run by a process of their own, since a process with threads cannot move to a namespace.
    enum Namespace {
        /// Whether this process is in a namespace that was made for tests.
        static let isInside = ProcessInfo.processInfo.environment["APUS_TEST_NAMESPACE"] == "1"

        /// Whether one can be made: by root, or by other users of a system that allows it.
        static func isAvailable() async -> Bool { await unshareCommand() != nil }

        /// Runs a suite of this process's tests in a new namespace.
        static func run(suite: String) async throws -> Shell.Outcome {
            guard let command = await unshareCommand() else { throw CocoaError(.featureUnsupported) }
            let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let tests = "'\(executable)' --testing-library swift-testing --filter '\(suite)'"
            // Foundation's Process connects two sockets over the loopback interface.
            return try await script("APUS_TEST_NAMESPACE=1 \(command) sh -c \"ip link set lo up; exec \(tests)\"")
        }

        /// Runs commands of `ip` in the namespace, one per line.
        static func ip(_ commands: String) async throws {
            guard isInside, !commands.isEmpty else { return }
            let lines = commands.split(separator: "\n").map { "ip \($0)" }
            let outcome = try await script((["set -e"] + lines).joined(separator: "\n"))
            guard outcome.status == 0 else { throw CommandFailure(commands: commands, error: outcome.error) }
        }

        /// Runs many commands of `ip` quickly.
        static func batch(_ commands: [String]) async throws {
            guard isInside else { return }
            let outcome = try await script("ip -batch - <<'END'\n\(commands.joined(separator: "\n"))\nEND")
            guard outcome.status == 0 else { throw CommandFailure(commands: commands[0], error: outcome.error) }
        }

        /// A command that has failed, and its message.
        struct CommandFailure: Error {
            let commands: String
            let error: String
        }

        private static func script(_ text: String) async throws -> Shell.Outcome {
            try await Shell.run("PATH=$PATH:/usr/sbin:/sbin\n\(text)")
        }

        private static func unshareCommand() async -> String? {
            for command in ["unshare -n", "unshare -rn"] {
                let outcome = try? await script("\(command) ip link show lo")
                if outcome?.status == 0 { return command }
            }
            return nil
        }
    }
#endif
