package io.fairlead.samples.cache;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerKey;
import io.fairlead.node.RequestException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Reads the server's memory with one-sided gets, and asks it by message to write. One thread at a time. */
public final class CacheClient implements AutoCloseable {
    private static final int TORN_MAX = 1000;

    private final Node node;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(CacheBucket.BYTES, Long.BYTES);
    private static final Duration PUT_DEADLINE = Duration.ofSeconds(30);

    private final Peer server;
    private final PeerKey table;
    private long tornReads;

    /**
     * Connects to a server.
     *
     * @param config of its node
     * @param address where the server listens
     * @throws FairleadException with why there is no connection
     */
    public CacheClient(FairleadConfig config, InetSocketAddress address) {
        node = Node.start(config);
        try {
            server = await(node.connect(address));
            try (Message welcome = await(server.receive(CacheServer.WELCOME_TAG))) {
                table = await(server.unpack(welcome.bytes()));
            }
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /**
     * Looks a key up, without the server's doing where the path is one-sided.
     *
     * @param key its bytes
     * @return the value, empty if the key has none
     * @throws CacheException if the entry was being written each time it was read
     */
    public Optional<byte[]> get(byte[] key) {
        CacheBucket bucket = new CacheBucket(buffer);
        long offset = CacheBucket.offset(key, table.length());
        for (int attempt = 0; attempt < TORN_MAX; attempt++) {
            await(server.get(buffer, table, offset));
            if (!bucket.torn()) {
                return bucket.slot(key).map(CacheSlot::value);
            }
            tornReads++;
        }
        throw new CacheException("entry never whole: attempts=" + TORN_MAX
                + "; the server is being written to without pause, try again");
    }

    /**
     * Stores a value; when this returns, every later get of any client finds it.
     *
     * @param key at least a byte
     * @param value no longer than an entry together with its key
     * @throws CacheException if it does not fit, or the server has no capacity
     */
    public void put(byte[] key, byte[] value) {
        if (key.length == 0 || key.length + value.length > CacheSlot.DATA_MAX) {
            throw new CacheException("entry does not fit: key=" + key.length + ", value=" + value.length
                    + " bytes, limit " + CacheSlot.DATA_MAX + " together and at least 1 for the key; shorten it");
        }
        ByteBuffer message = ByteBuffer.allocate(Short.BYTES + key.length + value.length);
        message.putShort((short) key.length).put(key).put(value);
        try {
            await(server.request(message.array(), CacheServer.PUT_TAG, PUT_DEADLINE))
                    .close();
        } catch (RequestException refused) {
            throw new CacheException("entry was not stored: " + refused.getMessage());
        }
    }

    /**
     * How often a get saw a write half done and was repeated.
     *
     * @return 0 and up
     */
    public long tornReads() {
        return tornReads;
    }

    /**
     * The server as this client sees it.
     *
     * @return among others, the path to it
     */
    public Peer server() {
        return server;
    }

    private static <T> T await(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Override
    public void close() {
        node.close();
        arena.close();
    }
}
