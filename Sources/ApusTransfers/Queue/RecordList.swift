internal import Foundation

/// The records that were read from the bytes of a log, and the damages that were found.
///
/// A damaged line costs its own record only. Bytes without a line feed at the end are the beginning of a record that
/// was never completed, and are ignored.
struct RecordList: Sendable {
    /// The intact records, in order.
    private(set) var records: [TransferRecord] = []
    /// The numbers of the damaged lines, from 1.
    private(set) var damagedLines: [Int] = []
    /// The number of bytes before an incomplete record at the end.
    private(set) var completeByteCount = 0

    /// Reads records. No input traps.
    init(_ bytes: [UInt8]) {
        let decoder = JSONDecoder()
        var line = 1
        while completeByteCount < bytes.count {
            if let text = RecordLine.text(in: bytes, at: completeByteCount) {
                if let record = try? decoder.decode(TransferRecord.self, from: Data(bytes[text])) {
                    records.append(record)
                } else {
                    damagedLines.append(line)
                }
                // Its line feed may be damaged.
                completeByteCount = text.upperBound + 1
            } else if let end = bytes[completeByteCount...].firstIndex(of: RecordLine.terminator) {
                damagedLines.append(line)
                completeByteCount = end + 1
            } else {
                return
            }
            line += 1
        }
    }
}
