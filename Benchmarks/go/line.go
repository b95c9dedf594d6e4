package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
	"unsafe"
)

var (
	lineMode  = flag.Bool("line", false, "")
	lineDelay = flag.Float64("delay-ms", 25, "")
	lineRate  = flag.Int64("line-bytes-per-second", 0, "")
	lineQueue = flag.Int64("line-queue-bytes", 0, "")
	lineLoss  = flag.Float64("loss", 0, "")
	lineSeed  = flag.Int64("loss-seed", 1, "")
)

const (
	// Holds the packets of a second at 10 Gbit/s and 50 ms, and the windows of many connections without a limit.
	ringBytes = 64 << 20
	// A burst of a sender waits in its device, which drops the packets that do not fit.
	devicePackets = 32768
)

// serveLine passes IP packets between two new TUN devices, and never returns. Each direction delays them by
// `--delay-ms`. With `--line-bytes-per-second` it transmits at most that many bytes of IP packets, behind a queue of
// `--line-queue-bytes` (default: one bandwidth-delay product), and drops the packets that do not fit. With `--loss` it
// loses that fraction of all packets, at random, in each direction.
//
// It prints the names of the devices once they exist. The caller moves them to namespaces, where they keep working. For
// each line of its input it prints its counters as a line of JSON, first those of the direction to the first device. It
// exits at the end of its input, so it does not outlive its caller.
func serveLine() {
	if *lineDelay < 0 || *lineRate < 0 || *lineQueue < 0 || *lineLoss < 0 || *lineLoss >= 1 {
		check(fmt.Errorf("a value of the line is out of range"))
	}
	// All memory is allocated before the first packet.
	debug.SetGCPercent(-1)
	// More processors of the scheduler than threads, so that a sleep in a system call need not pass one on.
	runtime.GOMAXPROCS(8)
	if *lineQueue == 0 {
		*lineQueue = int64(float64(*lineRate) * 2 * *lineDelay / 1e3)
	}
	near, nearName := openDevice()
	far, farName := openDevice()
	directions := []*direction{newDirection(far, near, *lineSeed), newDirection(near, far, *lineSeed+1)}
	for _, each := range directions {
		go each.receive()
		go each.send()
	}
	fmt.Println(nearName, farName)
	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		line, err := json.Marshal([]counters{directions[0].counters(), directions[1].counters()})
		check(err)
		fmt.Println(string(line))
	}
	os.Exit(0)
}

// openDevice creates a TUN device, and returns its descriptor and its name.
//
// Without `--loss` the sender does not split large packets, as if the network cards of both ends split and joined
// them. It saves most of the CPU time of the line and its ends. The line counts the packets that they stand for. With
// `--loss` the sender splits them, since each packet is lost separately.
func openDevice() (int, string) {
	descriptor, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		check(fmt.Errorf("/dev/net/tun: %w", err))
	}
	var request struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "line%d")
	request.flags = syscall.IFF_TUN | syscall.IFF_NO_PI | syscall.IFF_VNET_HDR
	control(descriptor, syscall.TUNSETIFF, uintptr(unsafe.Pointer(&request)))
	if *lineLoss == 0 {
		control(descriptor, syscall.TUNSETOFFLOAD, offloadChecksums|offloadTCP4)
	}
	name := request.name
	setQueueLength(name)
	end := 0
	for end < len(name) && name[end] != 0 {
		end++
	}
	return descriptor, string(name[:end])
}

func setQueueLength(name [syscall.IFNAMSIZ]byte) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	check(err)
	defer syscall.Close(socket)
	request := struct {
		name   [syscall.IFNAMSIZ]byte
		length int32
		_      [20]byte
	}{name: name, length: devicePackets}
	control(socket, syscall.SIOCSIFTXQLEN, uintptr(unsafe.Pointer(&request)))
}

func control(descriptor int, request uintptr, argument uintptr) {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(descriptor), request, argument)
	if errno != 0 {
		check(fmt.Errorf("ioctl %#x: %w", request, errno))
	}
}

var started = time.Now()

// now returns the nanoseconds since the program started.
func now() int64 { return int64(time.Since(started)) }
