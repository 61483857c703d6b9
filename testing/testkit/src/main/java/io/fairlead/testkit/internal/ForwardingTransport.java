package io.fairlead.testkit.internal;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.spi.AllocatingTransport;
import io.fairlead.spi.Reach;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportWorker;
import io.fairlead.spi.WorkerHost;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Passes each call on to another transport. A test's transport extends it and overrides what the test is about. */
public class ForwardingTransport implements AllocatingTransport {
    private final Transport inner;

    public ForwardingTransport(Transport inner) {
        this.inner = inner;
    }

    /** The transport that is called. */
    protected final Transport inner() {
        return inner;
    }

    @Override
    public Set<Capability> capabilities() {
        return inner.capabilities();
    }

    @Override
    public String version() {
        return inner.version();
    }

    @Override
    public Reach reach(byte[] localAddress, String peerVersion, byte[] peerAddress) {
        return inner.reach(localAddress, peerVersion, peerAddress);
    }

    /** Declines where the other transport allocates nothing, which the core takes like a transport without the call. */
    @Override
    public @Nullable RegisteredMemory allocate(long length, Set<AccessRight> rights) {
        return inner instanceof AllocatingTransport allocating ? allocating.allocate(length, rights) : null;
    }

    @Override
    public RegisteredMemory register(long regionId, MemorySegment segment, Set<AccessRight> rights) {
        return inner.register(regionId, segment, rights);
    }

    @Override
    public TransportWorker newWorker(WorkerHost host) {
        return inner.newWorker(host);
    }

    @Override
    public void close() {
        inner.close();
    }
}
