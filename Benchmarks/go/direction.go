package main

import (
	"math/rand"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	// The shortest sleep. One sleep serves all packets that arrive or are due within it, which are 20 at 1 Gbit/s.
	shortest = 250 * time.Microsecond
	// A packet that leaves later than this after it is due counts as late.
	tolerance = int64(time.Millisecond)
)

// counters are the packets and bytes of a direction since the start. A large packet counts as those that it stands for.
type counters struct {
	Packets int64 `json:"packets"`
	Bytes   int64 `json:"bytes"`
	// The packets that did not fit into the queue.
	Dropped int64 `json:"dropped"`
	// The packets that `--loss` lost.
	Lost int64 `json:"lost"`
	// The packets that left more than a millisecond late, because the machine was busy.
	Late int64 `json:"late"`
}

// direction passes packets from one device to another. One thread receives them and assigns each the time at which it
// is due, another sends them.
type direction struct {
	source, target int
	ring           *ring
	delay          int64
	rate, queue    float64
	random         *rand.Rand
	// The time at which the line has transmitted all packets that it has accepted.
	idleAt int64
	// Atomic, since another goroutine reads them.
	packets, bytes, dropped, lost, late atomic.Int64
}

func newDirection(source, target int, seed int64) *direction {
	return &direction{
		source: source,
		target: target,
		ring:   newRing(ringBytes),
		delay:  int64(*lineDelay * 1e6),
		rate:   float64(*lineRate),
		queue:  float64(*lineQueue),
		random: rand.New(rand.NewSource(seed)),
	}
}

func (d *direction) counters() counters {
	return counters{d.packets.Load(), d.bytes.Load(), d.dropped.Load(), d.lost.Load(), d.late.Load()}
}

// receive returns when the device no longer exists.
func (d *direction) receive() {
	ownThread()
	overflow := make([]byte, largestPacket)
	hasReceived := false
	for {
		place := d.ring.place()
		isFull := place == nil
		if isFull {
			place = overflow
		}
		size, errno := transfer(syscall.SYS_READ, d.source, place)
		switch {
		case errno == syscall.EAGAIN && hasReceived:
			// More will arrive soon. Without this sleep each packet would wake the thread.
			hasReceived = false
			sleep(shortest)
		case errno == syscall.EAGAIN:
			await(d.source)
		case errno == syscall.EINTR:
		case errno != 0:
			return
		case isFull:
			hasReceived = true
			d.dropped.Add(packet(place[:size]).count())
		default:
			hasReceived = true
			if kept, due := d.accept(place[:size], now()); kept > 0 {
				d.ring.add(kept, due)
			}
		}
	}
}

// accept decides on a packet that has arrived. It returns the size of the part that the line transmits, and the time at
// which that part is due. The size is 0 for a dropped packet.
func (d *direction) accept(packet packet, arrival int64) (int, int64) {
	if *lineLoss > 0 && d.random.Float64() < *lineLoss {
		d.lost.Add(1)
		return 0, 0
	}
	count := packet.count()
	if d.rate == 0 {
		d.packets.Add(count)
		d.bytes.Add(packet.wireBytes(count))
		return len(packet), arrival + d.delay
	}
	if d.idleAt < arrival {
		d.idleAt = arrival
	}
	room := d.queue - float64(d.idleAt-arrival)*d.rate/1e9
	fitting := count
	for fitting > 0 && float64(packet.wireBytes(fitting)) > room {
		fitting--
	}
	if fitting < count {
		d.dropped.Add(count - fitting)
		packet = packet.shortened(fitting)
	}
	if fitting == 0 {
		return 0, 0
	}
	bytes := packet.wireBytes(fitting)
	d.packets.Add(fitting)
	d.bytes.Add(bytes)
	d.idleAt += int64(float64(bytes) * 1e9 / d.rate)
	return len(packet), d.idleAt + d.delay
}

// send returns when the device no longer exists.
func (d *direction) send() {
	ownThread()
	for {
		time := now()
		packet, due := d.ring.first()
		if packet == nil {
			// No packet that arrives from now on is due earlier.
			due = time + d.delay
		}
		if packet == nil || due > time {
			sleep(atLeastShortest(due - time))
			continue
		}
		if time-due > tolerance {
			d.late.Add(packet.count())
		}
		_, errno := transfer(syscall.SYS_WRITE, d.target, packet)
		switch errno {
		case syscall.EINTR, syscall.EAGAIN:
			continue
		case syscall.EBADFD:
			return
		}
		// A device that is not up refuses a packet, which is then lost.
		d.ring.remove()
	}
}

func atLeastShortest(nanoseconds int64) time.Duration {
	if time.Duration(nanoseconds) < shortest {
		return shortest
	}
	return time.Duration(nanoseconds)
}

// ownThread binds the goroutine to a thread, whose sleeps are as short as it asks.
func ownThread() {
	runtime.LockOSThread()
	syscall.Syscall(syscall.SYS_PRCTL, syscall.PR_SET_TIMERSLACK, 1, 0)
}

// transfer reads or writes one packet. It does not block, so the scheduler need not know of it.
func transfer(call uintptr, descriptor int, packet []byte) (int, syscall.Errno) {
	size, _, errno := syscall.RawSyscall(
		call, uintptr(descriptor), uintptr(unsafe.Pointer(&packet[0])), uintptr(len(packet)))
	return int(size), errno
}

// sleep may return early, after a signal.
func sleep(duration time.Duration) {
	interval := syscall.NsecToTimespec(int64(duration))
	syscall.Nanosleep(&interval, nil)
}

// await returns when a packet may have arrived.
func await(descriptor int) {
	request := struct {
		descriptor     int32
		events, result int16
	}{descriptor: int32(descriptor), events: 1}
	syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&request)), 1, 0, 0, 0, 0)
}
