package main

import (
	"encoding/binary"
	"sync/atomic"
	"syscall"
)

// The time at which a packet is due, and its size, stand before it.
const recordHeaderSize = 16

// ring is a queue of packets in one piece of memory. One thread adds packets while another removes them, without a lock
// and without an allocation.
type ring struct {
	memory []byte
	// The bytes that were removed and added so far. Their remainders are places in the memory.
	removed, added atomic.Int64
}

func newRing(size int) *ring {
	// The kernel provides all pages now, not while packets pass.
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_POPULATE)
	check(err)
	return &ring{memory: memory}
}

// start returns the first position from `position` where a record can begin. The end of the memory stays unused if it
// is too small for the largest packet.
func (r *ring) start(position int64) int64 {
	size := int64(len(r.memory))
	if rest := size - position%size; rest < recordHeaderSize+largestPacket {
		return position + rest
	}
	return position
}

// place returns the memory for the next packet, or nil if the ring is full.
func (r *ring) place() []byte {
	start := r.start(r.added.Load())
	if start+recordHeaderSize+largestPacket-r.removed.Load() > int64(len(r.memory)) {
		return nil
	}
	index := start % int64(len(r.memory))
	return r.memory[index+recordHeaderSize : index+recordHeaderSize+largestPacket]
}

// add adds the packet of `size` bytes that is in `place()`.
func (r *ring) add(size int, due int64) {
	start := r.start(r.added.Load())
	header := r.memory[start%int64(len(r.memory)):]
	binary.LittleEndian.PutUint64(header, uint64(due))
	binary.LittleEndian.PutUint64(header[8:], uint64(size))
	r.added.Store(start + recordBytes(int64(size)))
}

// first returns the oldest packet and the time at which it is due, or nil if the ring is empty.
func (r *ring) first() (packet, int64) {
	position := r.removed.Load()
	if position == r.added.Load() {
		return nil, 0
	}
	record := r.memory[r.start(position)%int64(len(r.memory)):]
	size := binary.LittleEndian.Uint64(record[8:])
	return record[recordHeaderSize : recordHeaderSize+size], int64(binary.LittleEndian.Uint64(record))
}

// remove removes the packet that `first()` returned.
func (r *ring) remove() {
	start := r.start(r.removed.Load())
	size := binary.LittleEndian.Uint64(r.memory[start%int64(len(r.memory))+8:])
	r.removed.Store(start + recordBytes(int64(size)))
}

// recordBytes returns the size of a record, so that the next one is aligned.
func recordBytes(size int64) int64 { return (recordHeaderSize + size + 7) &^ 7 }
