internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// Connections that are opened in advance.
@Suite(.timeLimit(.minutes(5))) struct PreparationTests {
    private static let response = "HTTP/1.1 204 No Content\r\n\r\n"

    @Test func opensConnectionsUntilEnoughAreIdle() async throws {
        try await PoolStage.run(0) { stage in
            let answer = stage.prepare(3)
            let attempts = stage.network.attempts
            #expect(attempts.count == 3)
            for attempt in attempts {
                #expect(answer.outcomes.isEmpty)
                try attempt.accept()
                stage.pass(.zero)
            }
            #expect(answer.idleCount == 3)
            // They are ready, so nothing is left to do.
            #expect(stage.prepare(2).idleCount == 3)
            #expect(stage.prepare(0).idleCount == 3)
            #expect(stage.prepare(4).outcomes.isEmpty)
            #expect(stage.network.attempts.count == 4)
        }
    }

    @Test func closesPreparedConnectionsAfterTheIdleTimeout() async throws {
        try await PoolStage.run(0) { stage in
            _ = stage.prepare(1)
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            stage.pass(.seconds(60) - .nanoseconds(1))
            #expect(attempt.isConnected)
            stage.pass(.nanoseconds(1))
            #expect(!attempt.isConnected)
            #expect(stage.engine.shared.counters.count(of: .pools) == 0)
        }
    }

    @Test(arguments: [0, -1, Int.min]) func opensNoneForACountBelowOne(count: Int) async throws {
        try await PoolStage.run(0) { stage in
            #expect(stage.prepare(count).idleCount == 0)
            #expect(stage.network.attempts.isEmpty)
            #expect(stage.engine.shared.counters.count(of: .pools) == 0)
        }
    }

    @Test func opensNoMoreThanAnOriginMayHave() async throws {
        try await PoolStage.run(0, configuring: { $0.pool.connectionsPerOrigin = 2 }) { stage in
            let answer = stage.prepare(.max)
            #expect(stage.network.attempts.count == 2)
            for attempt in stage.network.attempts { try attempt.accept() }
            stage.pass(.zero)
            #expect(answer.idleCount == 2)
        }
    }

    @Test func opensNoMoreThanTheSessionMayHave() async throws {
        try await PoolStage.run(0, configuring: { $0.pool.connectionsTotal = 2 }) { stage in
            let permits = stage.engine.shared.permits
            #expect(permits.acquireIfFree())
            let answer = stage.prepare(2)
            #expect(stage.network.attempts.count == 1)
            try stage.network.attempts[0].accept()
            stage.pass(.zero)
            #expect(answer.idleCount == 1)
            #expect(!permits.isWanted)
            permits.release()
        }
    }

    @Test func opensNoneWithoutAPermit() async throws {
        try await PoolStage.run(0, configuring: { $0.pool.connectionsTotal = 1 }) { stage in
            #expect(stage.engine.shared.permits.acquireIfFree())
            #expect(stage.prepare(1).idleCount == 0)
            #expect(stage.engine.shared.counters.count(of: .pools) == 0)
            stage.engine.shared.permits.release()
        }
    }

    @Test func failsIfNoConnectionWasMade() async throws {
        try await PoolStage.run(0) { stage in
            let answer = stage.prepare(2)
            stage.network.attempts[0].refuse()
            stage.pass(.zero)
            #expect(answer.outcomes.isEmpty)
            stage.network.attempts[1].refuse()
            stage.pass(.zero)
            #expect(answer.code == .connectFailed)
            #expect(stage.network.attempts.count == 2)
            #expect(stage.engine.shared.counters.count(of: .pools) == 0)
        }
    }

    @Test func reportsTheConnectionsThatWereMade() async throws {
        try await PoolStage.run(0) { stage in
            let answer = stage.prepare(2)
            stage.network.attempts[0].refuse()
            try stage.network.attempts[1].accept()
            stage.pass(.zero)
            #expect(answer.idleCount == 1)
        }
    }

    @Test func countsConnectionsThatAreBeingOpened() async throws {
        try await PoolStage.run(0) { stage in
            let answers = [stage.prepare(1), stage.prepare(2), stage.prepare(1)]
            #expect(stage.network.attempts.count == 2)
            try stage.network.attempts[0].accept()
            stage.pass(.zero)
            #expect(answers.map(\.idleCount) == [1, nil, 1])
            try stage.network.attempts[1].accept()
            stage.pass(.zero)
            #expect(answers.map(\.idleCount) == [1, 2, 1])
            #expect(answers.allSatisfy { $0.outcomes.count == 1 })
        }
    }

    // MARK: Requests

    @Test func servesARequestWithAPreparedConnection() async throws {
        let codes = try await PoolStage.run(1) { stage in
            let answer = stage.prepare(1)
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            stage.pass(.zero)
            #expect(answer.idleCount == 1)
            stage.serve(0)
            #expect(try attempt.sent().hasPrefix("GET / HTTP/1.1\r\n"))
            try attempt.receive(Self.response)
            #expect(stage.network.attempts.count == 1)
            #expect(stage.exchanges[0].record.metrics.isReused)
        }
        #expect(codes == [nil])
    }

    @Test func servesARequestWithAConnectionThatIsBeingOpened() async throws {
        let codes = try await PoolStage.run(1) { stage in
            let answer = stage.prepare(1)
            stage.serve(0)
            let attempt = try #require(stage.network.attempts.first)
            try attempt.accept()
            stage.pass(.zero)
            // It was made, and is not idle.
            #expect(answer.idleCount == 0)
            try attempt.receive(Self.response)
            #expect(stage.network.attempts.count == 1)
        }
        #expect(codes == [nil])
    }

    /// The request fails only if an attempt of its own does.
    @Test(arguments: [true, false]) func opensAnotherConnectionForARequest(isAccepted: Bool) async throws {
        let codes = try await PoolStage.run(1) { stage in
            let answer = stage.prepare(1)
            stage.serve(0)
            stage.network.attempts[0].refuse()
            stage.pass(.zero)
            #expect(answer.code == .connectFailed)
            #expect(!stage.exchanges[0].isOver)
            try #require(stage.network.attempts.count == 2)
            let attempt = stage.network.attempts[1]
            guard isAccepted else {
                attempt.refuse()
                return stage.pass(.zero)
            }
            try attempt.accept()
            stage.pass(.zero)
            try attempt.receive(Self.response)
        }
        #expect(codes == [isAccepted ? nil : .connectFailed])
    }

    // MARK: Shutdown

    @Test(arguments: [true, false]) func endsWithTheSession(gracefully: Bool) async throws {
        try await PoolStage.run(0) { stage in
            let answer = stage.prepare(2)
            try stage.network.attempts[0].accept()
            stage.pass(.zero)
            stage.engine.shutDown(gracefully: gracefully)
            stage.pass(.zero)
            #expect(answer.code == .sessionShutDown)
            #expect(answer.outcomes.count == 1)
            #expect(stage.network.attempts.allSatisfy { $0.isClosed })
            #expect(stage.prepare(1).code == .sessionShutDown)
        }
    }
}
