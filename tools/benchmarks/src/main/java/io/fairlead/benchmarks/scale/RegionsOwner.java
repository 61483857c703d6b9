package io.fairlead.benchmarks.scale;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.cli.measure.Side;
import io.fairlead.spi.Descriptors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Holds regions open, and times how long further ones take. Others put to and get from the last that it holds, of which it need not know. */
final class RegionsOwner implements Side {
    /** Regions that a turn opens and closes. */
    static final int FURTHER = 256;

    private static final int LENGTH = 64;
    /** As long the regions may take to be opened. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(5);

    private static final Set<AccessRight> RIGHTS = EnumSet.of(AccessRight.READ, AccessRight.WRITE);

    private final FairleadPeer peer;
    private final boolean allocates;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final List<MemoryRegion> held = new ArrayList<>();
    private final int port;
    private String stopped = "";

    /**
     * Opens the regions.
     *
     * @param arguments the transport, and how many regions
     */
    RegionsOwner(List<String> arguments) {
        peer = new FairleadPeer(Tables.config(arguments.getFirst()));
        int count = Integer.parseInt(arguments.get(1));
        // Over shared memory the regions that both sides map are those that are allocated, each of which holds a
        // descriptor.
        allocates = arguments.getFirst().equals(Table.SHM);
        memory = arena.allocate((long) LENGTH * (count + FURTHER), LENGTH);
        port = peer.listen();
        hold(count);
    }

    private void hold(int count) {
        long startNs = System.nanoTime();
        try {
            while (held.size() < count) {
                if (held.size() % FURTHER == 0 && !mayGoOn(System.nanoTime() - startNs)) {
                    return;
                }
                held.add(open(held.size()));
            }
        } catch (FairleadException | OutOfMemoryError limit) {
            if (held.isEmpty()) {
                throw limit;
            }
            stopped = String.valueOf(limit.getMessage());
        }
    }

    private boolean mayGoOn(long tookNs) {
        if (tookNs > LIMIT_NS) {
            stopped = "they took longer than " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS) + " s";
            return false;
        }
        int free = allocates ? Descriptors.free() : Integer.MAX_VALUE;
        if (free <= Descriptors.RESERVE + 3 * FURTHER) {
            stopped = Descriptors.shortage(free);
            return false;
        }
        return true;
    }

    private MemoryRegion open(int index) {
        return allocates
                ? peer.context().allocate(LENGTH, RIGHTS)
                : peer.context().register(memory.asSlice((long) index * LENGTH, LENGTH), RIGHTS);
    }

    /** The port, the key of the last region, how many are open, and why there are no more. */
    @Override
    public String address() {
        return port + " " + HexFormat.of().formatHex(held.getLast().packedKey()) + " " + held.size() + " " + stopped;
    }

    /** Nanoseconds for opening a region, and for closing one. */
    @Override
    public String turn(String line, Runnable begun) {
        MemoryRegion[] further = new MemoryRegion[FURTHER];
        long startNs = System.nanoTime();
        for (int i = 0; i < FURTHER; i++) {
            further[i] = open(held.size() + i);
        }
        long openNs = System.nanoTime();
        for (MemoryRegion region : further) {
            region.close();
        }
        return (openNs - startNs) / FURTHER + " " + (System.nanoTime() - openNs) / FURTHER;
    }

    /** Puts and gets that its processor has to serve are served here. */
    @Override
    public void rest() {
        peer.advance();
    }

    @Override
    public void wake() {
        peer.worker().wakeup();
    }

    @Override
    public void close() {
        peer.worker().close();
        held.forEach(MemoryRegion::close);
        peer.close();
        arena.close();
    }
}
