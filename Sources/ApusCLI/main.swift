internal import ApusCommand

Command.fillStandardStreams()
await Command.main()
