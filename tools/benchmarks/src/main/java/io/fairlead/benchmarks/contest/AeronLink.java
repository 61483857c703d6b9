package io.fairlead.benchmarks.contest;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.Header;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Publications of Aeron, one either way. Messages that fit into one fragment are written into the log itself ({@code tryClaim}), longer ones are offered and put
 * together by a {@link FragmentAssembler}. Between processes of a host the listening process has the media driver; over UDP each process has its own.
 */
final class AeronLink implements Link {
    /** How the two are joined. */
    enum Kind {
        /** Shared memory, by publications that one thread alone writes to. */
        IPC_EXCLUSIVE,
        /** Shared memory, by publications that several threads may write to. */
        IPC_SHARED,
        /** Loopback. */
        UDP
    }

    private static final String IPC = "aeron:ipc";
    private static final int FORTH = 1;
    private static final int BACK = 2;
    private static final int FRAGMENTS = 64;
    private static final long PAUSE_NS = 100_000;

    private final @Nullable MediaDriver driver;
    /** Where the other side connects to. */
    private final String told;

    private final Aeron aeron;
    private final Publication publication;
    private final Subscription subscription;
    private final FragmentAssembler assembler = new FragmentAssembler(this::message);
    private final BufferClaim claim = new BufferClaim();
    /** Aeron cannot wait for a message; this is what it has for threads that may sleep. */
    private final BackoffIdleStrategy sleep =
            new BackoffIdleStrategy(10, 20, TimeUnit.MICROSECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(1));

    private UnsafeBuffer outgoing = new UnsafeBuffer(0, 0);
    private int size;
    private long expected;
    private int taken;

    AeronLink(Kind kind, Optional<String> address) throws IOException {
        boolean listens = address.isEmpty();
        boolean udp = kind == Kind.UDP;
        driver = listens || udp ? driver() : null;
        String folder = driver == null ? address.orElseThrow() : driver.aeronDirectoryName();
        told = !listens ? "" : udp ? freePort() + " " + freePort() : folder;
        String[] ports = address.orElse(told).split(" ", -1);
        String forth = udp ? "aeron:udp?endpoint=127.0.0.1:" + ports[0] : IPC;
        String back = udp ? "aeron:udp?endpoint=127.0.0.1:" + ports[1] : IPC;
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(folder));
        subscription = listens ? aeron.addSubscription(forth, FORTH) : aeron.addSubscription(back, BACK);
        String to = listens ? back : forth;
        int stream = listens ? BACK : FORTH;
        publication =
                kind == Kind.IPC_SHARED ? aeron.addPublication(to, stream) : aeron.addExclusivePublication(to, stream);
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public String address() {
        return told;
    }

    private static MediaDriver driver() {
        // One thread, as its guide advises where processors are few.
        return MediaDriver.launchEmbedded(new MediaDriver.Context()
                .threadingMode(ThreadingMode.SHARED)
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true));
    }

    @Override
    public void awaitPeer() {
        while (!publication.isConnected() || !subscription.isConnected()) {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    @Override
    public void begin(Work work, int sends, int receives, int inFlight) {
        size = work.size();
        expected = 0;
        outgoing = new UnsafeBuffer(new byte[size]);
    }

    @Override
    public void send(long number) {
        boolean fits = size <= publication.maxPayloadLength();
        if (!fits) {
            Payload.write(size, number, outgoing::putLong);
        }
        long position = fits ? publication.tryClaim(size, claim) : publication.offer(outgoing, 0, size);
        while (position < 0) {
            if (position != Publication.BACK_PRESSURED && position != Publication.ADMIN_ACTION) {
                throw new IllegalStateException("Aeron took no message: " + Publication.errorString(position));
            }
            Thread.onSpinWait();
            position = fits ? publication.tryClaim(size, claim) : publication.offer(outgoing, 0, size);
        }
        if (fits) {
            MutableDirectBuffer log = claim.buffer();
            int start = claim.offset();
            Payload.write(size, number, (offset, value) -> log.putLong(start + offset, value));
            claim.commit();
        }
    }

    @Override
    public int poll() {
        taken = 0;
        subscription.poll(assembler, FRAGMENTS);
        if (taken > 0) {
            sleep.reset();
        }
        return taken;
    }

    private void message(DirectBuffer log, int start, int length, Header header) {
        Payload.length(size, length);
        Payload.check(size, expected, offset -> log.getLong(start + offset));
        expected++;
        taken++;
    }

    @Override
    public void await() {
        sleep.idle();
    }

    @Override
    public void close() {
        aeron.close();
        if (driver != null) {
            driver.close();
        }
    }
}
