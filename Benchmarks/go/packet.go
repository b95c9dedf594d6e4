package main

import "encoding/binary"

const (
	offloadChecksums = 1
	offloadTCP4      = 2
	// The kernel describes each packet in a header before it: struct virtio_net_hdr.
	descriptionSize = 10
	largestPacket   = descriptionSize + 1<<16

	largeTCP4 = 1
)

// packet is an IP packet behind its description. A large one stands for several packets of one TCP connection, whose
// common header is present once.
type packet []byte

func (p packet) isLarge() bool { return p[1] == largeTCP4 }

// share returns the bytes of data in each packet that a large one stands for, except the last.
func (p packet) share() int64 { return int64(binary.LittleEndian.Uint16(p[4:])) }

// headers returns the size of the headers of IP and TCP.
func (p packet) headers() int64 {
	tcp := int64(binary.LittleEndian.Uint16(p[6:]))
	return tcp + int64(p[descriptionSize+tcp+12]>>4)*4
}

// data returns the size of the data of TCP.
func (p packet) data() int64 { return int64(len(p)) - descriptionSize - p.headers() }

// count returns the number of packets that this one stands for.
func (p packet) count() int64 {
	if !p.isLarge() {
		return 1
	}
	return (p.data() + p.share() - 1) / p.share()
}

// wireBytes returns the size of the first `count` packets that this one stands for, as they are on a line.
func (p packet) wireBytes(count int64) int64 {
	if !p.isLarge() {
		return count * int64(len(p)-descriptionSize)
	}
	data := p.data()
	if data > count*p.share() {
		data = count * p.share()
	}
	return data + count*p.headers()
}

// shortened returns a large packet that stands for the first `count` packets of this one. It changes the bytes of this
// one. Without any packet it is empty.
func (p packet) shortened(count int64) packet {
	if count == 0 {
		return nil
	}
	size := p.headers() + count*p.share()
	ip := p[descriptionSize : descriptionSize+size]
	// The last packet has the flags FIN and PSH.
	ip[binary.LittleEndian.Uint16(p[6:])+13] &^= 0x09
	binary.BigEndian.PutUint16(ip[2:], uint16(size))
	binary.BigEndian.PutUint16(ip[10:], 0)
	binary.BigEndian.PutUint16(ip[10:], checksum(ip[:int(ip[0]&15)*4]))
	// The checksum of TCP is not computed yet, since the description has a flag for that.
	return p[:descriptionSize+size]
}

// checksum returns the checksum of the header of an IP packet.
func checksum(header []byte) uint16 {
	var sum uint32
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}
