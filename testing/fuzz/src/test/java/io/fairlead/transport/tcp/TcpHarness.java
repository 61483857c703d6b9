package io.fairlead.transport.tcp;

import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.FuzzHost;
import io.fairlead.fuzz.FuzzOperation;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.spi.Connection;
import io.fairlead.spi.Selectable;
import io.fairlead.spi.WorkerHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * The byte stream of an endpoint over TCP. The first byte says what this side has under way, and how many bytes a read brings; the rest is what the peer
 * writes.
 */
public final class TcpHarness implements Harness {
    private static final int CHECKSUMS = 1;
    private static final int SENDS = 1 << 1;
    private static final int MEMORY = 1 << 2;
    private static final int RECEIVES = 1 << 3;
    private static final int BLOCKED = 1 << 4;
    private static final int TORN = 1 << 5;

    private static final int PUT = 1;
    private static final int GET = 2;
    private static final int ATOMIC = 3;
    private static final int FLUSH = 4;
    private static final int DONE = 5;
    private static final int DATA = 6;
    private static final int VALUE = 7;

    /** More than this and a peer has this side keep what nobody asked for. */
    private static final long NATIVE_MAX = 4 << 20;

    private static final int LONG = FuzzHost.EAGER_MAX + 100;
    private static final MemorySegment SHORT_MEMORY = Arena.global().allocate(100, 8);
    private static final MemorySegment LONG_MEMORY = Arena.global().allocate(LONG, 8);

    private final Socket socket = new Socket();
    private final TcpWorker worker = new TcpWorker(new Host(), new TcpSettings(0, 0, 64 << 10, false));
    private final Stream stream = new Stream();

    @Override
    public List<byte[]> seeds() {
        byte[] eager = Input.join(Input.words(TcpFrame.first(TcpFrame.EAGER, 8), FuzzHost.TAG, 1));
        byte[] kept = Input.words(TcpFrame.first(TcpFrame.EAGER_SYNC, 8), 9, 1, 1);
        byte[] announced = Input.words(TcpFrame.first(TcpFrame.ANNOUNCE, 0), FuzzHost.TAG, 3, LONG);
        byte[] data = Input.words(TcpFrame.first(TcpFrame.DATA, 8), 1 << 16, 1);
        byte[] pull = Input.words(TcpFrame.first(TcpFrame.PULL, 0), 1 << 16, 1, LONG);
        byte[] matched = Input.words(TcpFrame.first(TcpFrame.MATCHED, 0), 1 << 16 | 1);
        byte[] control = Input.words(TcpFrame.first(TcpFrame.CONTROL, 8), 1);
        byte[] requests = Input.words(
                TcpFrame.first(PUT, 8) | 3 << 8,
                1,
                16,
                77,
                1,
                TcpFrame.first(GET, 0),
                1,
                0,
                4096,
                TcpFrame.first(ATOMIC, 0),
                1,
                8,
                1,
                0,
                TcpFrame.first(FLUSH, 0));
        byte[] answers = Input.words(TcpFrame.first(DONE, 0), TcpFrame.first(VALUE, 0), 5, TcpFrame.first(DATA, 8), 1);
        byte[] active = Input.words(
                TcpFrame.first(TcpFrame.ACTIVE, 16),
                TcpFrame.target(3, 8),
                1,
                2,
                TcpFrame.first(TcpFrame.ACTIVE_ANNOUNCE, 8),
                TcpFrame.target(3, 8),
                4,
                LONG,
                1);
        byte[] all = Input.join(eager, kept, active, announced, data, control, requests);
        return List.of(
                Input.behind(RECEIVES, all),
                Input.behind(RECEIVES | BLOCKED, all),
                Input.behind(RECEIVES | TORN, all),
                Input.behind(CHECKSUMS | RECEIVES, record(all)),
                Input.behind(SENDS, Input.join(pull, matched)),
                Input.behind(MEMORY, answers),
                Input.behind(SENDS | MEMORY | RECEIVES, Input.join(pull, answers, all)));
    }

    /** As a peer with checksums would send it. */
    private static byte[] record(byte[] content) {
        Stream sent = new Stream();
        ChecksummedConnection records = new ChecksummedConnection(sent, "seed");
        try {
            records.write(ByteBuffer.wrap(content));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        byte[] bytes = new byte[sent.written.flip().remaining()];
        sent.written.get(bytes);
        return bytes;
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        int options = in.u8();
        byte[] peer = in.rest();
        FuzzHost host = new FuzzHost();
        stream.open(socket.channel, peer, (options & TORN) != 0, (options & BLOCKED) != 0);
        TcpEndpoint endpoint = (TcpEndpoint) worker.connect(host, new byte[] {(byte) (options & CHECKSUMS)}, stream);
        if ((options & RECEIVES) != 0) {
            host.receive(LONG);
            host.receive(100);
        }
        if ((options & SENDS) != 0) {
            post(host, endpoint.send(host.post(FuzzOperation.over(LONG_MEMORY, 1))));
            post(host, endpoint.send(host.post(FuzzOperation.untilMatched(SHORT_MEMORY, 1))));
        }
        if ((options & MEMORY) != 0) {
            post(host, endpoint.put(host.post(FuzzOperation.over(SHORT_MEMORY, 0))));
            post(host, endpoint.flush(host.post(FuzzOperation.over(SHORT_MEMORY, 0))));
            post(host, endpoint.atomic(host.post(FuzzOperation.over(SHORT_MEMORY.asSlice(0, 8), 0))));
            post(host, endpoint.get(host.post(FuzzOperation.over(SHORT_MEMORY.asSlice(0, 8), 0))));
        }
        // A read takes one byte and more, and the last one finds the end.
        for (int turn = 0; turn <= peer.length + 2 && !host.hasStopped(); turn++) {
            worker.progress();
            host.deliver(endpoint);
        }
        Expect.that(host.hasStopped(), "an endpoint has read its stream and goes on");
        Expect.that(worker.memory.eagerPool().allocated() <= NATIVE_MAX, "a peer has this side keep too much");
        endpoint.close();
        host.check(endpoint, Reason.PROTOCOL_VIOLATION, Reason.PEER_LOST);
        Expect.same(0L, worker.memory.eagerPool().used(), "memory of messages was lost");
        worker.progress();
    }

    private static void post(FuzzHost host, boolean isTaken) {
        Expect.that(isTaken, "an endpoint takes no operation before anything has gone wrong");
    }

    /** The answers of a few thousand requests, which a peer that does not read has this side keep. */
    @Override
    public long heapMax(byte[] input) {
        return (1 << 20) + 1024L * input.length;
    }

    /** A socket that nobody reads, for what wants one. */
    private static final class Socket {
        private final SocketChannel channel;

        Socket() {
            try {
                channel = SocketChannel.open();
                channel.configureBlocking(false);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }

    /** A worker's host whose selector finds nothing. */
    private static final class Host implements WorkerHost {
        private final Selector selector;

        Host() {
            try {
                selector = Selector.open();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public Selector selector() {
            return selector;
        }

        @Override
        public int pollSelector() {
            try {
                return selector.selectNow(key -> ((Selectable) key.attachment()).ready(key));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void wakeup() {
            selector.wakeup();
        }
    }

    /** A connection with the input to read, and the end of the stream behind it. */
    private static final class Stream implements Connection {
        private final ByteBuffer written = ByteBuffer.allocate(64 << 10);
        private SocketChannel channel;
        private ByteBuffer incoming = ByteBuffer.allocate(0);
        private boolean torn;
        private boolean blocked;

        Stream() {
            this.channel = new Socket().channel;
        }

        void open(SocketChannel socket, byte[] input, boolean readsBytes, boolean takesNothing) {
            channel = socket;
            incoming = ByteBuffer.wrap(input);
            torn = readsBytes;
            blocked = takesNothing;
        }

        @Override
        public int read(ByteBuffer target) {
            if (!incoming.hasRemaining()) {
                return -1;
            }
            int count = Math.min(torn ? 3 : Integer.MAX_VALUE, Math.min(target.remaining(), incoming.remaining()));
            target.put(incoming.slice(incoming.position(), count));
            incoming.position(incoming.position() + count);
            return count;
        }

        @Override
        public int write(ByteBuffer source) {
            int count = blocked ? 0 : source.remaining();
            if (count > 0 && written.remaining() >= count) {
                written.put(source.duplicate());
            } else {
                written.clear();
            }
            source.position(source.position() + count);
            return count;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int count) {
            long total = 0;
            for (int i = offset; i < offset + count; i++) {
                total += write(sources[i]);
            }
            return total;
        }

        @Override
        public SocketChannel channel() {
            return channel;
        }

        @Override
        public void close() {
            // The next input uses the socket again.
        }
    }
}
