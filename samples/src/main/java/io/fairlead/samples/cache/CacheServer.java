package io.fairlead.samples.cache;

import io.fairlead.AccessRight;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.Worker;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/** Owns the memory, gives its key to whoever connects, and writes into it what clients send. Thread-safe. */
public final class CacheServer implements AutoCloseable {
    /** The server to a client that has connected: the packed key of the memory. */
    static final long WELCOME_TAG = 1;
    /** A client to the server: the key's length in two bytes, key and value. */
    static final long PUT_TAG = 2;
    /** The server's answer to a put: one byte. */
    static final long REPLY_TAG = 3;

    static final byte STORED = 0;
    static final byte BUCKET_FULL = 1;
    static final byte NOT_AN_ENTRY = 2;

    private static final int RECEIVES = 16;
    private static final long PUT_BYTES_MAX = Short.BYTES + CacheSlot.DATA_MAX;

    private final Node node;
    private final MemoryRegion memory;
    private final Listener listener;
    private volatile boolean closed;

    /**
     * Starts to serve.
     *
     * @param config of its node
     * @param address where to listen; port 0 takes a free one
     * @param buckets how long the table is, each for {@value CacheBucket#SLOTS} entries
     */
    public CacheServer(FairleadConfig config, InetSocketAddress address, long buckets) {
        node = Node.start(config);
        try {
            memory = node.allocate(buckets * CacheBucket.BYTES, Set.of(AccessRight.READ));
            listener = node.listen(address, this::welcome);
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
        for (int i = 0; i < RECEIVES; i++) {
            receiveNext();
        }
    }

    /**
     * Where it listens.
     *
     * @return with the port that was taken
     */
    public InetSocketAddress address() {
        return listener.address();
    }

    /**
     * The node that it runs on, for its metrics.
     *
     * @return closed with the server
     */
    public Node node() {
        return node;
    }

    private void welcome(Peer client) {
        // A client that has gone again before it is welcomed is no concern of the server's.
        var _ = client.send(memory.packedKey(), WELCOME_TAG);
    }

    /** One future per message; a client that dies in the middle of one fails that future and nothing else. */
    private void receiveNext() {
        var _ = node.receive(PUT_TAG, Worker.FULL_TAG_MASK, PUT_BYTES_MAX).whenComplete((message, failure) -> {
            if (failure == null) {
                answer(message);
            }
            if (!closed) {
                receiveNext();
            }
        });
    }

    private void answer(Message message) {
        var _ = message.source().send(new byte[] {store(message)}, REPLY_TAG);
        message.close();
    }

    private byte store(Message message) {
        ByteBuffer bytes = ByteBuffer.wrap(message.bytes());
        int keyLength = bytes.remaining() < Short.BYTES ? 0 : bytes.getShort();
        if (keyLength < 1 || keyLength > bytes.remaining()) {
            return NOT_AN_ENTRY;
        }
        byte[] key = new byte[keyLength];
        bytes.get(key);
        byte[] value = new byte[bytes.remaining()];
        bytes.get(value);
        return store(key, value);
    }

    private synchronized byte store(byte[] key, byte[] value) {
        long offset = CacheBucket.offset(key, memory.length());
        CacheBucket bucket = new CacheBucket(memory.segment().asSlice(offset, CacheBucket.BYTES));
        Optional<CacheSlot> slot = bucket.slot(key).or(bucket::emptySlot);
        slot.ifPresent(found -> found.write(key, value));
        return slot.isPresent() ? STORED : BUCKET_FULL;
    }

    @Override
    public void close() {
        closed = true;
        node.close();
    }
}
