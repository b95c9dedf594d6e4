internal import Foundation

// resumable-uploads PORT FOLDER: serves uploads on loopback, and writes each of them to a file in the folder.
let arguments = CommandLine.arguments
guard arguments.count == 3, let port = Int(arguments[1]) else {
    FileHandle.standardError.write(Data("usage: resumable-uploads PORT FOLDER\n".utf8))
    exit(2)
}
try UploadServer.run(port: port, folder: arguments[2])
