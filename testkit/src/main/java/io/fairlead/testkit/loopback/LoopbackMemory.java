package io.fairlead.testkit.loopback;

import io.fairlead.AccessRight;
import io.fairlead.spi.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory that every worker of the process may reach. Whoever touches it holds the read lock, and closing takes the write lock:
 * once a close has returned, nobody is in the memory and nobody gets in.
 */
final class LoopbackMemory implements RegisteredMemory {
    private static final Map<Long, LoopbackMemory> REGISTERED = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT_ID = new AtomicLong(1);

    private final long id = NEXT_ID.getAndIncrement();
    private final MemorySegment segment;
    private final Set<AccessRight> rights;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean closed;

    private LoopbackMemory(MemorySegment segment, Set<AccessRight> rights) {
        this.segment = segment;
        this.rights = Set.copyOf(rights);
    }

    static LoopbackMemory register(MemorySegment segment, Set<AccessRight> rights) {
        LoopbackMemory memory = new LoopbackMemory(segment, rights);
        REGISTERED.put(memory.id, memory);
        return memory;
    }

    static @Nullable LoopbackMemory find(long id) {
        return REGISTERED.get(id);
    }

    /**
     * Lets the caller's thread into the memory.
     *
     * @return false, and the access has not run, if the memory is closed, here or by the caller whose it is, or the right was not given
     */
    boolean access(AccessRight right, Consumer<MemorySegment> access) {
        lock.readLock().lock();
        try {
            if (closed || !segment.scope().isAlive() || !rights.contains(right)) {
                return false;
            }
            access.accept(segment);
            return true;
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public byte[] key() {
        return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
    }

    @Override
    public void close() {
        REGISTERED.remove(id);
        lock.writeLock().lock();
        try {
            closed = true;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
