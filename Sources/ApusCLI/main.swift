internal import ApusCommand

Command.fillStandardStreams()
Command.main()
