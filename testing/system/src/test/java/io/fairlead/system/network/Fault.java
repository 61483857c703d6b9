package io.fairlead.system.network;

import io.fairlead.FairleadException.Reason;
import io.fairlead.system.network.FrameForwarder.Mode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A fault of the wire between two hosts. */
enum Fault {
    LOSS(
            "one packet of ten is lost",
            null,
            wire -> wire.disturb("input", "tcp dport != 0 numgen random mod 100 < 10 drop")),
    DOUBLED("packets arrive twice", null, Wire::doublePackets, wire -> wire.heal("netdev")),
    DELAY(
            "packets are delayed by 50 to 70 ms",
            null,
            wire -> wire.forward(Mode.DELAYED),
            wire -> wire.forward(Mode.PLAIN)),
    REORDER(
            "packets overtake each other",
            null,
            wire -> wire.forward(Mode.REORDERED),
            wire -> wire.forward(Mode.PLAIN)),
    RESET(
            "connections are reset",
            Reason.PEER_LOST,
            wire -> wire.disturb("input", "meta l4proto tcp reject with tcp reset")),
    PARTITION("no packet passes", Reason.PEER_LOST, wire -> {
        wire.disturb("input", "drop");
        wire.disturb("output", "drop");
    }),
    ONE_WAY("packets pass one way", Reason.PEER_LOST, wire -> wire.disturb("input", "drop")),
    BLACK_HOLE(
            "packets above 600 bytes vanish",
            Reason.PEER_SILENT,
            wire -> wire.disturb("input", "meta length > 600 drop")),
    ADDRESS(
            "the host loses its address, and has it again",
            Reason.PEER_LOST,
            Wire::removeNearAddress,
            Wire::addNearAddress);

    /** What is done to a wire. */
    private interface Change {
        void make(Wire wire) throws IOException;
    }

    /** What the tables call it. */
    final String words;

    /** Why an endpoint without failover fails; null if it goes on. */
    final @Nullable Reason reason;

    private final Change begin;
    private final Change end;

    Fault(String words, @Nullable Reason reason, Change begin) {
        this(words, reason, begin, wire -> wire.heal("inet"));
    }

    Fault(String words, @Nullable Reason reason, Change begin, Change end) {
        this.words = words;
        this.reason = reason;
        this.begin = begin;
        this.end = end;
    }

    void begin(Wire wire) throws IOException {
        begin.make(wire);
    }

    void end(Wire wire) throws IOException {
        end.make(wire);
    }
}
