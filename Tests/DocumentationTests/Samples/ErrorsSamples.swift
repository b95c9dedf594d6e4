internal import Apus
internal import Testing

struct Problem: Decodable, Sendable {
    let title: String
}

@Suite(.timeLimit(.minutes(5)))
struct ErrorsSamples {
    private let session = SampleService.session()

    @Test func handlesErrorsByCode() async {
        do {
            let user = try await session.get("https://api.example.org/users/1").validate().decode(User.self)
            print(user.name)
        } catch {
            switch error.code {
            case .unacceptableStatus where error.responseCode == 404: print("no such user")
            case _ where error.isTimeout: print("too slow; try again later")
            case _ where error.isConnect: print("could not connect; nothing was sent")
            default: print(error)
            }
        }
    }

    @Test func decodesErrorBodies() async {
        do {
            try await session.get("https://api.example.org/users/0").validate()
        } catch {
            let problem = error.decodeData(as: Problem.self)
            print(problem?.title ?? error.description)
        }

        let error = await #expect(throws: ApusError.self) {
            try await session.get("https://api.example.org/users/0").validate()
        }
        #expect(error?.decodeData(as: Problem.self)?.title == "There is no such user")
    }

    @Test func readsTheReasonForARejectedCertificate() async {
        do {
            try await session.get("https://api.example.org/users/1").validate()
        } catch {
            if case .expired(let date)? = error.underlying as? CertificateRejection {
                print("The certificate expired on \(date).")
            }
        }
    }

    @Test func keepsValidationErrors() async {
        struct OutOfStock: Error {}

        do {
            let receipt = try await session.request("https://api.example.org/orders", method: .post)
                .validate { _, _, data in data.isEmpty ? .failure(OutOfStock()) : .success(()) }
                .serializingString()
                .value
            print(receipt)
        } catch {
            print(error.underlying is OutOfStock ? "try another day" : error.description)
        }
    }
}
