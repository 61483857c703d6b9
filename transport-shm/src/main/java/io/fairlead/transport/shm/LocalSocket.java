package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A local (Unix) socket whose packets carry a file descriptor each. It never waits, except in {@link #await}. Connecting
 * and sending need no help of the other process: the kernel queues both. Used by one thread at a time.
 *
 * <p>Semantics: {@code unix(7)} with {@code SOCK_SEQPACKET} and {@code SCM_RIGHTS}. The JDK has local sockets, but
 * neither descriptors in messages nor names without a file.
 */
final class LocalSocket implements AutoCloseable {
    /** The longest name of a socket in a folder. */
    static final int PATH_MAX = 107;

    /** How many connections that nobody accepted a listener closes itself. */
    private static final int CLOSED_AT_ONCE_MAX = 32;

    private static final int FAMILY = 1;
    private static final int PATH_AT = 2;

    /** In a {@code msghdr} of 64 bits: the pointers to what follows it, the lengths, and the flags of a received one. */
    private static final int VECTORS_AT = 16;

    private static final int VECTOR_COUNT_AT = 24;
    private static final int CONTROLS_AT = 32;
    private static final int CONTROL_LENGTH_AT = 40;
    private static final int FLAGS_AT = 48;

    /** Behind the {@code msghdr}: an {@code iovec}, control messages, and the packet. */
    private static final int VECTOR_AT = 56;

    private static final int CONTROL_AT = 72;

    /** A control message: its length, level and type, and then what it carries. */
    private static final int CONTROL_HEADER = 16;

    private static final int CONTROL_LEVEL_AT = 8;
    private static final int CONTROL_TYPE_AT = 12;
    /** The most descriptors of one packet. */
    private static final int FILES_MAX = 253;
    /**
     * Room for all descriptors of a packet. The kernel closes those without room inside the call, and a stranger's
     * descriptor may take long to close.
     */
    private static final int CONTROLS_MAX = (int) padded(CONTROL_HEADER + FILES_MAX * Integer.BYTES);

    private static final int SOCKET_LEVEL = 1;
    private static final int RIGHTS = 1;
    private static final int PASS_CREDENTIALS = 16;
    private static final int PEER_CREDENTIALS = 17;
    /** Linux 6.5. */
    private static final int PEER_PROCESS = 77;

    private static final int CUT_OFF = 0x20 | 0x8;
    private static final short READABLE = 1;

    private static final int OWNER_ALONE = 0600;

    private final int descriptor;
    private boolean listening;
    private boolean closed;

    private LocalSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    private static long padded(long length) {
        return (length + Long.BYTES - 1) & -Long.BYTES;
    }

    /**
     * A received packet.
     *
     * @param bytes the packet; untrusted
     * @param descriptor the file that came with it, owned by the receiver; -1 if none did
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Packet(byte[] bytes, int descriptor) {
        void close() {
            if (descriptor >= 0) {
                ReceivedFiles.close(descriptor);
            }
        }

        /** Closes it after its descriptor was mapped: the mapping keeps the memory, so this frees nothing. */
        void closeMapped() {
            Libc.close(descriptor);
        }
    }

    /**
     * The process at the other end, as the kernel reports it: for a connector the process that listens, for an accepted
     * socket the one that has connected.
     *
     * @param process its id here; 0 if it is in a PID namespace that this process does not see
     * @param user its user id here; the overflow id if this user namespace has none for it
     */
    record Credentials(int process, int user) {}

    /**
     * Listens.
     *
     * @param name a name in the network namespace, or the path of a file that does not exist yet, to which only this
     *     user can connect
     * @throws IOException if the name is in use, or the kernel refuses
     */
    static LocalSocket listen(Name name, int backlogMax) throws IOException {
        LocalSocket socket = create();
        try (Arena arena = Arena.ofConfined()) {
            if (name.isFile()) {
                // The file that is created has these permissions from the first moment.
                check("fchmod", Libc.setPermissions(socket.descriptor, OWNER_ALONE));
            }
            check("bind", Libc.bind(socket.descriptor, name.address(arena)));
            socket.listening = true;
            check("listen", Libc.listen(socket.descriptor, backlogMax));
            return socket;
        } catch (IOException | RuntimeException | Error failure) {
            socket.close();
            throw failure;
        }
    }

    /**
     * Connects, at once or never.
     *
     * @throws RefusedException if nobody listens under the name here, or the listener's queue is full
     * @throws IOException if the kernel refuses
     */
    static LocalSocket connect(Name name) throws IOException {
        LocalSocket socket = create();
        try (Arena arena = Arena.ofConfined()) {
            int error = -Libc.connect(socket.descriptor, name.address(arena));
            if (error != 0) {
                throw new RefusedException(error);
            }
            return socket;
        } catch (IOException | RuntimeException | Error failure) {
            socket.close();
            throw failure;
        }
    }

    private static LocalSocket create() throws IOException {
        return new LocalSocket((int) check("socket", Libc.localSocket()));
    }

    private static long check(String function, long answer) throws IOException {
        if (answer < 0) {
            throw new IOException(function + ": errno=" + -answer);
        }
        return answer;
    }

    /** Nobody takes a connection. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        private final int error;

        RefusedException(int error) {
            super("connect: errno=" + error);
            this.error = error;
        }

        /** Whether no process listens there any more. */
        boolean isNobody() {
            return error == Libc.REFUSED;
        }

        /** Whether the listener's queue is full. */
        boolean isFull() {
            return error == Libc.TRY_AGAIN;
        }
    }

    /** Where a socket listens. */
    static final class Name {
        private final byte[] path;

        private Name(byte[] path) {
            this.path = path;
        }

        /** A name without a file, known in one network namespace. It is free again when the socket is closed. */
        static Name inNamespace(String name) {
            return new Name(("\0" + name).getBytes(StandardCharsets.US_ASCII));
        }

        /**
         * The path of a file.
         *
         * @throws IOException if it is too long for a socket
         */
        static Name ofFile(String path) throws IOException {
            byte[] bytes = (path + "\0").getBytes(StandardCharsets.UTF_8);
            if (bytes.length > PATH_MAX + 1) {
                throw new IOException("path of a socket is too long: length=" + (bytes.length - 1) + ", maximum="
                        + PATH_MAX + " bytes; choose a folder with a shorter path");
            }
            return new Name(bytes);
        }

        private boolean isFile() {
            return path[0] != 0;
        }

        private MemorySegment address(Arena arena) {
            MemorySegment address = arena.allocate(PATH_AT + path.length, JAVA_LONG.byteAlignment());
            address.set(JAVA_SHORT, 0, (short) FAMILY);
            MemorySegment.copy(path, 0, address, JAVA_BYTE, PATH_AT, path.length);
            return address;
        }
    }

    /**
     * The next connection.
     *
     * @return null if none waits
     * @throws IOException if the kernel refuses, such as without a free descriptor
     */
    @Nullable LocalSocket accept() throws IOException {
        int accepted = Libc.accept(descriptor);
        return accepted == -Libc.TRY_AGAIN ? null : new LocalSocket((int) check("accept4", accepted));
    }

    /**
     * Sends a packet.
     *
     * @param files the descriptors to send with it, which stay the caller's; receivers of this class take at most one
     * @throws IOException if the other end is closed or does not receive
     */
    void send(byte[] packet, int... files) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int controls = files.length > 0 ? CONTROL_HEADER + files.length * Integer.BYTES : 0;
            MemorySegment message = message(arena, packet.length, controls);
            MemorySegment.copy(packet, 0, message, JAVA_BYTE, payloadAt(controls), packet.length);
            if (files.length > 0) {
                message.set(JAVA_LONG, CONTROL_AT, controls);
                message.set(JAVA_INT, CONTROL_AT + CONTROL_LEVEL_AT, SOCKET_LEVEL);
                message.set(JAVA_INT, CONTROL_AT + CONTROL_TYPE_AT, RIGHTS);
                MemorySegment.copy(files, 0, message, JAVA_INT, CONTROL_AT + CONTROL_HEADER, files.length);
            }
            check("sendmsg", Libc.send(descriptor, message));
        }
    }

    /**
     * Receives a packet.
     *
     * @param lengthMax bytes; a longer packet is an error
     * @return null if none has arrived
     * @throws EOFException if the other end is closed, and nothing of it is left
     * @throws IOException if the packet is longer, or carries more than one descriptor
     */
    @Nullable Packet receive(int lengthMax) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = message(arena, lengthMax, CONTROLS_MAX);
            long length = Libc.receive(descriptor, message);
            if (length == -Libc.TRY_AGAIN) {
                return null;
            }
            check("recvmsg", length);
            int[] files = files(message);
            if (length == 0 && files.length == 0) {
                throw new EOFException("the other end is closed");
            }
            if (files.length > 1 || (message.get(JAVA_INT, FLAGS_AT) & CUT_OFF) != 0) {
                ReceivedFiles.close(files);
                throw new IOException("a packet is longer than " + lengthMax + " bytes, or has several descriptors");
            }
            return new Packet(
                    message.asSlice(payloadAt(CONTROLS_MAX), length).toArray(JAVA_BYTE),
                    files.length == 0 ? -1 : files[0]);
        }
    }

    /** The descriptors that came with a packet, owned by the receiver. */
    private static int[] files(MemorySegment message) {
        long end = CONTROL_AT + message.get(JAVA_LONG, CONTROL_LENGTH_AT);
        for (long at = CONTROL_AT; at + CONTROL_HEADER <= end; ) {
            long length = message.get(JAVA_LONG, at);
            if (length < CONTROL_HEADER || message.get(JAVA_INT, at + CONTROL_LEVEL_AT) != SOCKET_LEVEL) {
                break;
            }
            if (message.get(JAVA_INT, at + CONTROL_TYPE_AT) == RIGHTS) {
                return message.asSlice(at + CONTROL_HEADER, length - CONTROL_HEADER)
                        .toArray(JAVA_INT);
            }
            at += padded(length);
        }
        return new int[0];
    }

    private static MemorySegment message(Arena arena, int length, int controls) {
        long payloadAt = payloadAt(controls);
        MemorySegment message = arena.allocate(payloadAt + length, ADDRESS.byteAlignment());
        message.set(ADDRESS, VECTORS_AT, message.asSlice(VECTOR_AT));
        message.set(JAVA_LONG, VECTOR_COUNT_AT, 1);
        message.set(ADDRESS, VECTOR_AT, message.asSlice(payloadAt));
        message.set(JAVA_LONG, VECTOR_AT + 8, length);
        if (controls > 0) {
            message.set(ADDRESS, CONTROLS_AT, message.asSlice(CONTROL_AT));
            message.set(JAVA_LONG, CONTROL_LENGTH_AT, controls);
        }
        return message;
    }

    private static long payloadAt(int controls) {
        return CONTROL_AT + padded(controls);
    }

    /**
     * The process at the other end.
     *
     * @throws IOException if the kernel does not report it
     */
    Credentials peer() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment option = arena.allocate(JAVA_INT, 4);
            option.set(JAVA_INT, 0, 3 * Integer.BYTES);
            check("getsockopt", Libc.option(descriptor, PEER_CREDENTIALS, option));
            return new Credentials(option.getAtIndex(JAVA_INT, 1), option.getAtIndex(JAVA_INT, 2));
        }
    }

    /** A descriptor of the process at the other end, owned by the caller; a negative errno if the kernel gives none. */
    int openPeer() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment option = arena.allocate(JAVA_INT, 2);
            option.set(JAVA_INT, 0, Integer.BYTES);
            int answer = Libc.option(descriptor, PEER_PROCESS, option);
            return answer < 0 ? answer : option.getAtIndex(JAVA_INT, 1);
        }
    }

    /** Waits until a packet or the end of the other side has arrived; false after the time. */
    boolean await(int timeoutMs) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polled = arena.allocate(JAVA_LONG);
            writePolled(polled, 0);
            return check("poll", Libc.poll(polled, 1, timeoutMs)) > 0;
        }
    }

    /** Adds this socket to a list for {@code poll(2)}. */
    void writePolled(MemorySegment polled, int index) {
        polled.setAtIndex(JAVA_LONG, index, 0);
        polled.set(JAVA_INT, index * JAVA_LONG.byteSize(), descriptor);
        polled.set(JAVA_SHORT, index * JAVA_LONG.byteSize() + Integer.BYTES, READABLE);
    }

    /** Ends both directions, and wakes the thread that waits for this socket; on any thread, before {@link #close}. */
    void shutDown() {
        Libc.shutDown(descriptor);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean hasMore = false;
        try {
            shutDown();
            hasMore = listening ? hasConnection() : hasPacket();
        } finally {
            if (hasMore) {
                // The kernel closes what strangers have sent, and nobody received, inside of the last close.
                ReceivedFiles.closeLater(descriptor);
            } else {
                Libc.close(descriptor);
            }
        }
    }

    /** Closes some connections that wait, such as those that have only seen whether it answers; returns whether others do, or may. */
    private boolean hasConnection() {
        for (int i = 0; i < CLOSED_AT_ONCE_MAX; i++) {
            int accepted = Libc.accept(descriptor);
            if (accepted < 0) {
                return accepted != -Libc.TRY_AGAIN && accepted != -Libc.INVALID;
            }
            new LocalSocket(accepted).close();
        }
        return true;
    }

    /** Whether a packet is queued, or may be. */
    private boolean hasPacket() {
        try (Arena arena = Arena.ofConfined()) {
            // An empty packet and the end differ in this alone: the sender's credentials are cut off.
            int _ = Libc.setOption(descriptor, PASS_CREDENTIALS, arena.allocateFrom(JAVA_INT, 1));
            MemorySegment message = message(arena, 0, 0);
            long length = Libc.peek(descriptor, message);
            boolean isEnd = length == 0 && (message.get(JAVA_INT, FLAGS_AT) & CUT_OFF) == 0;
            return !isEnd && length != -Libc.NOT_CONNECTED;
        }
    }
}
