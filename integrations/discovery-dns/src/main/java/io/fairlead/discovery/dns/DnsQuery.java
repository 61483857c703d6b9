package io.fairlead.discovery.dns;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * One question to one name server, on the caller's thread: over UDP, and over TCP where the answer is too long for that. The library's own client would leave a
 * thread behind for the life of the process.
 */
final class DnsQuery {
    /** Without EDNS no answer over UDP is longer. */
    private static final int UDP_MAX = 512;

    private final InetSocketAddress server;
    private final Message question;
    private final byte[] wire;
    private final long deadlineNs;

    DnsQuery(InetSocketAddress server, Name name, int type, Duration timeout) {
        this.server = server;
        this.question = Message.newQuery(Record.newRecord(name, type, DClass.IN));
        this.wire = question.toWire();
        this.deadlineNs = System.nanoTime() + timeout.toNanos();
    }

    Message ask() throws IOException {
        Message answer = askByUdp();
        return answer.getHeader().getFlag(Flags.TC) ? askByTcp() : answer;
    }

    private Message askByUdp() throws IOException {
        // Connected, so that the kernel lets answers of nobody else through.
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(server);
            socket.send(new DatagramPacket(wire, wire.length));
            byte[] buffer = new byte[UDP_MAX];
            while (true) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.setSoTimeout(leftMs());
                socket.receive(packet);
                byte[] bytes = new byte[packet.getLength()];
                System.arraycopy(buffer, 0, bytes, 0, bytes.length);
                Message answer = new Message(bytes);
                if (answers(answer)) {
                    return answer;
                }
            }
        }
    }

    private Message askByTcp() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(server, leftMs());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] framed = new byte[Short.BYTES + wire.length];
            framed[0] = (byte) (wire.length >> 8);
            framed[1] = (byte) wire.length;
            System.arraycopy(wire, 0, framed, Short.BYTES, wire.length);
            out.write(framed);
            socket.setSoTimeout(leftMs());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] bytes = new byte[in.readUnsignedShort()];
            for (int read = 0; read < bytes.length; ) {
                socket.setSoTimeout(leftMs());
                int count = in.read(bytes, read, bytes.length - read);
                if (count < 0) {
                    throw new EOFException("the server hung up in its answer");
                }
                read += count;
            }
            Message answer = new Message(bytes);
            if (!answers(answer)) {
                throw new IOException("the server answered another question");
            }
            return answer;
        }
    }

    private boolean answers(Message answer) {
        return answer.getHeader().getID() == question.getHeader().getID()
                && answer.getHeader().getFlag(Flags.QR)
                && question.getQuestion().equals(answer.getQuestion());
    }

    private int leftMs() throws SocketTimeoutException {
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
            throw new SocketTimeoutException("no answer in time");
        }
        return (int) Math.min(leftMs, Integer.MAX_VALUE);
    }
}
