package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Connection;
import io.fairlead.spi.TransportSetup;
import io.fairlead.spi.WorkerHost;
import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * A process of this user that says what no peer of ours would, and its victim: every lie is refused with its reason, and nothing outside a region that it
 * was given is read or written.
 */
@Timeout(60)
abstract class HostilePeerCases {
    static final long REGION = 7;
    static final long READ_ONLY = 8;
    static final int SIZE = 4096;
    static final byte CANARY = 0x5A;
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** Kinds of messages of served memory. */
    static final int PUT = 1;

    static final int GET = 2;
    private static final int TURNS = 2000;

    /** Shared memory asks nothing of it. */
    private static final WorkerHost HOST = (WorkerHost) Proxy.newProxyInstance(
            WorkerHost.class.getClassLoader(), new Class<?>[] {WorkerHost.class}, (_, method, _) -> {
                throw new IllegalStateException("nobody blocks here: " + method);
            });

    final Arena arena = Arena.ofConfined();
    /** A region with the victim's own memory on both sides. */
    private final MemorySegment whole = arena.allocate(3L * SIZE, 8);

    final MemorySegment region = whole.asSlice(SIZE, SIZE);
    final RawHost victimHost = new RawHost(3, 4, false);
    final RawHost hostileHost = new RawHost(4, 3, true);
    final Connection connection = (Connection) Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, _) -> {
                throw new IllegalStateException("the control connection is the core's: " + method);
            });
    ShmTransport transport;
    ShmWorker victim;
    ShmWorker hostile;
    ShmEndpoint victimEnd;
    /** The hostile side's endpoint is only there to be written to; what it says it says by hand. */
    ShmEndpoint end;
    /** The ring that the victim reads, and the one that it writes to. */
    RingWriter toVictim;

    long fromVictim;

    @BeforeEach
    void connect() {
        whole.fill(CANARY);
        transport = new ShmTransport(new TransportSetup(FairleadConfig.defaults(), 1));
        victim = (ShmWorker) transport.newWorker(HOST);
        hostile = (ShmWorker) transport.newWorker(HOST);
        victimHost.region(REGION, region, EnumSet.allOf(AccessRight.class));
        victimHost.region(READ_ONLY, region, Set.of(AccessRight.READ));
        victimEnd = (ShmEndpoint) victim.connect(victimHost, hostile.address(), connection);
        end = (ShmEndpoint) hostile.connect(hostileHost, victim.address(), connection);
        toVictim = new RingWriter(victimEnd.ringAddress());
        fromVictim = end.ringAddress();
        end.wireUp(victimEnd.wireUpData());
        victimEnd.wireUp(end.wireUpData());
        victimEnd.begin();
    }

    @AfterEach
    void close() {
        end.close();
        victimEnd.close();
        hostile.close();
        victim.close();
        transport.close();
        assertEquals(0, victimHost.holders, "regions that are still held");
        arena.close();
    }

    /** The connection that was there before goes on. */
    void assertLives() {
        request(PUT, REGION, SIZE - 8, 0, 8);
        progressUntil(() -> region.get(JAVA_BYTE, SIZE - 1) != CANARY);
        assertNull(victimHost.failure);
        assertEquals(0, region.get(JAVA_BYTE, SIZE - 1));
    }

    /** Writes a request of served memory as the hostile peer's next record. */
    void request(int kind, long number, long offset, long value, int data) {
        int header = kind == PUT ? 24 : kind == GET ? 32 : 40;
        MemorySegment message = arena.allocate(header + data);
        message.set(WORD, 0, kind | (long) data << 32);
        message.set(WORD, 8, number);
        message.set(WORD, 16, offset);
        if (kind != PUT) {
            message.set(WORD, 24, value);
        }
        write(message);
    }

    void write(MemorySegment message) {
        int length = (int) message.byteSize();
        assertTrue(toVictim.tryClaim(length));
        toVictim.put(0, message, 0, length);
        toVictim.publish(Ring.SERVED, length, 0, length);
    }

    /** The lie is told, and the victim gives up the endpoint for it. */
    void assertRefused(String message) {
        progressUntil(() -> victimHost.failure != null);
        FairleadException failure = Objects.requireNonNull(victimHost.failure, "the victim has noticed nothing");
        assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure::getMessage);
        for (long i = 0; i < region.byteSize(); i++) {
            assertEquals(CANARY, region.get(JAVA_BYTE, i));
        }
        assertOutsideUntouched();
    }

    void assertOutsideUntouched() {
        for (long i = 0; i < SIZE; i++) {
            assertEquals(CANARY, whole.get(JAVA_BYTE, i));
            assertEquals(CANARY, whole.get(JAVA_BYTE, 2L * SIZE + i));
        }
    }

    /** The victim makes progress until something has come true, or nothing more can be on its way. */
    void progressUntil(BooleanSupplier condition) {
        int idle = 0;
        while (!condition.getAsBoolean() && idle < TURNS) {
            idle = victim.progress() > 0 ? 0 : idle + 1;
        }
    }
}
