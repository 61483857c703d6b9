package io.fairlead.samples.cache;

import io.fairlead.AccessRight;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceOptions;
import io.fairlead.node.ServiceRequest;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/** Owns the memory, gives its key to whoever connects, and writes into it what clients send. Thread-safe. */
public final class CacheServer implements AutoCloseable {
    /** The server to a client that has connected: the packed key of the memory. */
    static final long WELCOME_TAG = 1;
    /** Requests of clients: the key's length in two bytes, key and value. */
    static final long PUT_TAG = 2;

    private enum Outcome {
        STORED,
        BUCKET_FULL,
        NOT_AN_ENTRY
    }

    private final Node node;
    private final MemoryRegion memory;
    private final Listener listener;

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
        // A put takes a microsecond and waits for nothing, so that it needs no other thread.
        node.serve(PUT_TAG, this::put, ServiceOptions.DEFAULT.onProgressThread());
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

    private void put(ServiceRequest request) {
        switch (store(request)) {
            case STORED -> request.reply(new byte[0]);
            case BUCKET_FULL ->
                request.fail(
                        RequestStatus.RESOURCE_EXHAUSTED,
                        "the key's bucket is full; give the server's table more buckets");
            case NOT_AN_ENTRY -> request.fail(RequestStatus.INVALID_ARGUMENT, "the request is no entry");
        }
    }

    private Outcome store(Message message) {
        ByteBuffer bytes = ByteBuffer.wrap(message.bytes());
        int keyLength = bytes.remaining() < Short.BYTES ? 0 : bytes.getShort();
        if (keyLength < 1 || keyLength > bytes.remaining()) {
            return Outcome.NOT_AN_ENTRY;
        }
        byte[] key = new byte[keyLength];
        bytes.get(key);
        byte[] value = new byte[bytes.remaining()];
        bytes.get(value);
        return store(key, value);
    }

    private synchronized Outcome store(byte[] key, byte[] value) {
        long offset = CacheBucket.offset(key, memory.length());
        CacheBucket bucket = new CacheBucket(memory.segment().asSlice(offset, CacheBucket.BYTES));
        Optional<CacheSlot> slot = bucket.slot(key).or(bucket::emptySlot);
        slot.ifPresent(found -> found.write(key, value));
        return slot.isPresent() ? Outcome.STORED : Outcome.BUCKET_FULL;
    }

    @Override
    public void close() {
        node.close();
    }
}
