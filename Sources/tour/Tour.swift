internal import Apus
internal import ApusTestServer
internal import Foundation

/// Runs the stops in order and reports on each.
enum Tour {
    /// The outcome of a stop.
    struct Visit: Sendable {
        let duration: Duration
        let result: Result<Finding, any Error>
    }

    /// The maximum duration of a stop.
    private static let patience = Duration.seconds(20)

    /// Runs the tour with the arguments of the command line.
    ///
    /// - Returns: The exit code of the process.
    static func run(_ words: [String]) async -> Int32 {
        let screen = Screen()
        do {
            let arguments = try Arguments(words)
            if arguments.wantsHelp {
                screen.show(Arguments.help)
                return 0
            }
            if let folder = arguments.queuePath { return await QueueProcess.run(folder) }
            return try await walk(arguments, screen) ? 0 : 1
        } catch let fault as Arguments.Fault {
            screen.complain("tour: \(fault.text); see tour --help")
            return 2
        } catch {
            screen.complain("tour: \(error)")
            return 1
        }
    }

    /// Runs all stops.
    ///
    /// - Returns: Whether all stops succeeded and all requested files were written.
    private static func walk(_ arguments: Arguments, _ screen: Screen) async throws -> Bool {
        let begin = MonotonicInstant.now
        let environment = try await TourEnvironment.open(screen)
        let stops = Itinerary.stops
        let places = "\(environment.server.origin) and \(environment.secureServer.origin)"
        screen.show(screen.paint("\(stops.count) stops at \(places)", .quiet))
        var waterfall: (requests: [[ExchangeMetrics]], names: [String]) = ([], [])
        var failures = 0
        for (index, stop) in stops.enumerated() {
            let visit = await visit(stop, environment)
            let report = StopReport(number: index + 1, stop: stop, visit: visit, screen: screen)
            for line in report.lines { screen.show(line) }
            guard case .success(let finding) = visit.result else {
                failures += 1
                continue
            }
            waterfall.requests += finding.requests
            waterfall.names += finding.requests.map { _ in Wording.flushRight("\(index + 1)", 2) }
        }
        await environment.close()
        let elapsed = WaterfallScale.label(begin.duration(to: .now))

        let picture = Waterfall(exchanges: waterfall.requests, names: waterfall.names, idleTime: .cut)
        screen.show()
        screen.show(picture.text(columns: screen.columns, colors: screen.isColored))
        let isPictureSaved = save(to: arguments.svgPath, screen) {
            try Data(picture.svg().utf8).write(to: $0, options: .atomic)
        }
        let isArchiveSaved = save(to: arguments.harPath, screen) { try environment.recorder.write(to: $0) }
        screen.show()
        screen.show(
            failures == 0
                ? screen.paint("\(stops.count) stops, all succeeded, in \(elapsed)", .good)
                : screen.paint("\(stops.count) stops, \(failures) failed, in \(elapsed)", .bad)
        )
        return failures == 0 && isPictureSaved && isArchiveSaved
    }

    /// Writes a file, if one was requested.
    ///
    /// - Returns: Whether the file was written or none was requested.
    private static func save(to path: String?, _ screen: Screen, _ write: (URL) throws -> Void) -> Bool {
        guard let path else { return true }
        do {
            try write(URL(filePath: path))
            return true
        } catch {
            screen.complain("tour: '\(path)' can't be written: \(error.localizedDescription)")
            return false
        }
    }

    /// Runs a stop with a time limit. A stop that exceeds it is cancelled without waiting for its end.
    private static func visit(_ stop: Stop, _ environment: TourEnvironment) async -> Visit {
        let begin = MonotonicInstant.now
        let (results, continuation) = AsyncStream.makeStream(of: Result<Finding, any Error>.self)
        let work = Task {
            do {
                continuation.yield(.success(try await stop.visit(environment)))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let watch = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            let time = WaterfallScale.label(patience)
            continuation.yield(.failure(Unexpected(expected: "an end", found: "none after \(time)")))
        }
        defer {
            work.cancel()
            watch.cancel()
        }
        for await result in results { return Visit(duration: begin.duration(to: .now), result: result) }
        return Visit(duration: begin.duration(to: .now), result: .failure(CancellationError()))
    }
}
