import Apus
import Foundation

/// Records exchanges as a HAR archive, without secrets, and prints their waterfall.
func recordArchive(of service: String) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "apus-recipe.har")
    let recorder = HARRecorder()
    var configuration = Session.Configuration()
    configuration.recorder = recorder
    let session = Session(configuration: configuration)
    try await session.get("\(service)/redirect/2").validate()
    await session.shutdown(within: .seconds(5))
    try recorder.write(to: file)
    print(Waterfall(recorder.archive).text())
    print("wrote \(file.path)")
}
