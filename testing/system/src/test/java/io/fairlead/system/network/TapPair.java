package io.fairlead.system.network;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * Two Ethernet devices of Linux whose frames a program reads and writes. They are numbered 0 and 1, are gone when their program closes them, and can be moved
 * to another network namespace meanwhile. One thread at a time may use a pair. The numbers are the same on x86-64 and aarch64.
 */
final class TapPair implements AutoCloseable {
    private static final int SIDES = 2;

    private static final int READ_AND_WRITE = 0x2;
    private static final int NON_BLOCKING = 0x800;
    private static final int CLOSE_ON_EXEC = 0x8_0000;

    /** The request that gives a device its name and kind, by a {@code struct ifreq}: the name, then flags. */
    private static final long SET_DEVICE = 0x4004_54CA;

    private static final int DEVICE_REQUEST = 40;
    private static final int NAME_MAX = 15;
    private static final int FLAGS_AT = 16;
    private static final short FRAMES_ALONE = 0x0002 | 0x1000;

    /** Of a {@code struct pollfd}: the descriptor, and the events that are wanted. */
    private static final int POLLED = 8;

    private static final int EVENTS_AT = 4;
    private static final short READABLE = 1;

    private static final int INTERRUPTED = 4;
    private static final int DEVICE_IS_DOWN = 5;
    private static final int TRY_AGAIN = 11;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO = STATE.byteOffset(PathElement.groupElement("errno"));
    private static final MethodHandle OPEN = find("open");
    private static final MethodHandle IOCTL = find("ioctl");
    private static final MethodHandle POLL = find("poll");
    private static final MethodHandle READ = find("read");
    private static final MethodHandle WRITE = find("write");
    private static final MethodHandle CLOSE = find("close");

    private final Arena arena = Arena.ofShared();
    private final MemorySegment state = arena.allocate(STATE);
    private final MemorySegment polled = arena.allocate(SIDES * POLLED, Integer.BYTES);
    private final int[] descriptors = {-1, -1};

    private TapPair() {}

    /**
     * Makes both devices in this process's network namespace.
     *
     * @throws IOException if this user or this system may not
     */
    static TapPair open(String firstName, String secondName) throws IOException {
        TapPair pair = new TapPair();
        try {
            pair.make(0, firstName);
            pair.make(1, secondName);
            return pair;
        } catch (IOException | RuntimeException | Error failure) {
            pair.close();
            throw failure;
        }
    }

    private void make(int side, String name) throws IOException {
        if (name.length() > NAME_MAX) {
            throw new IllegalArgumentException("name of a device is too long: name=" + name + ", max=" + NAME_MAX);
        }
        MemorySegment path = arena.allocateFrom("/dev/net/tun");
        MemorySegment request = arena.allocate(DEVICE_REQUEST, Long.BYTES);
        request.setString(0, name);
        request.set(JAVA_SHORT, FLAGS_AT, FRAMES_ALONE);
        int descriptor = call(OPEN, path.address(), READ_AND_WRITE | NON_BLOCKING | CLOSE_ON_EXEC, 0);
        check("open of /dev/net/tun", descriptor);
        descriptors[side] = descriptor;
        check("TUNSETIFF of " + name, call(IOCTL, descriptor, SET_DEVICE, request.address()));
    }

    /** Waits until a frame can be read from one of the sides that are asked for, or the time has passed. */
    void await(boolean first, boolean second, int milliseconds) throws IOException {
        watch(0, first);
        watch(1, second);
        int ready = call(POLL, polled.address(), SIDES, milliseconds);
        check("poll", ready == -INTERRUPTED ? 0 : ready);
    }

    private void watch(int side, boolean watched) {
        // The kernel passes over a negative descriptor.
        polled.set(JAVA_INT, (long) side * POLLED, watched ? descriptors[side] : -1);
        polled.set(JAVA_SHORT, (long) side * POLLED + EVENTS_AT, READABLE);
    }

    /** Reads a frame, and returns its length; 0 if there is none. */
    int read(int side, MemorySegment buffer) throws IOException {
        int length = call(READ, descriptors[side], buffer.address(), buffer.byteSize());
        return length == -TRY_AGAIN || length == -INTERRUPTED ? 0 : check("read", length);
    }

    /** Writes a frame, which is lost if the device is down. */
    void write(int side, MemorySegment frame) throws IOException {
        int length = call(WRITE, descriptors[side], frame.address(), frame.byteSize());
        check("write", length == -DEVICE_IS_DOWN ? 0 : length);
    }

    /** The result of a function, or its error's negative number. */
    private int call(MethodHandle function, long first, long second, long third) {
        try {
            int result = (int) (long) function.invokeExact(state, first, second, third);
            return result == -1 ? -state.get(JAVA_INT, ERRNO) : result;
        } catch (Throwable impossible) {
            throw new IllegalStateException("a call of the C library threw, which it cannot", impossible);
        }
    }

    private static int check(String what, int result) throws IOException {
        if (result < 0) {
            throw new IOException(what + " failed: errno=" + -result);
        }
        return result;
    }

    /** All functions have the same form, because both processors pass shorter and fewer numbers like it. An int is in the lower half of the result. */
    @SuppressWarnings("restricted")
    private static MethodHandle find(String name) {
        MemorySegment function = LINKER.defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
        return LINKER.downcallHandle(
                function,
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.captureCallState("errno"));
    }

    @Override
    public void close() {
        if (!arena.scope().isAlive()) {
            return;
        }
        for (int descriptor : descriptors) {
            if (descriptor >= 0) {
                call(CLOSE, descriptor, 0, 0);
            }
        }
        arena.close();
    }
}
