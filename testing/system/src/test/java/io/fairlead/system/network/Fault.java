package io.fairlead.system.network;

import io.fairlead.FairleadException.Reason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A fault of the wire between two hosts. */
enum Fault {
    LOSS("one packet of ten is lost", null) {
        @Override
        void begin(Wire wire) throws IOException {
            wire.disturb("input", "tcp dport != 0 numgen random mod 100 < 10 drop");
        }
    },
    DOUBLED("packets arrive twice", null) {
        @Override
        void begin(Wire wire) throws IOException {
            wire.doublePackets();
        }

        @Override
        void end(Wire wire) throws IOException {
            wire.heal("netdev");
        }
    },
    RESET("connections are reset", Reason.PEER_LOST) {
        @Override
        void begin(Wire wire) throws IOException {
            wire.disturb("input", "meta l4proto tcp reject with tcp reset");
        }
    },
    PARTITION("no packet passes", Reason.PEER_LOST) {
        @Override
        void begin(Wire wire) throws IOException {
            wire.disturb("input", "drop");
            wire.disturb("output", "drop");
        }
    },
    ONE_WAY("packets pass one way", Reason.PEER_LOST) {
        @Override
        void begin(Wire wire) throws IOException {
            wire.disturb("input", "drop");
        }
    },
    BLACK_HOLE("packets above 600 bytes vanish", Reason.PEER_SILENT) {
        @Override
        void begin(Wire wire) throws IOException {
            wire.disturb("input", "meta length > 600 drop");
        }
    },
    ADDRESS("the host loses its address, and has it again", Reason.PEER_LOST) {
        @Override
        void begin(Wire wire) throws IOException {
            wire.removeNearAddress();
        }

        @Override
        void end(Wire wire) throws IOException {
            wire.addNearAddress();
        }
    };

    /** What the tables call it. */
    final String words;

    /** Why an endpoint without failover fails; null if it goes on. */
    final @Nullable Reason reason;

    Fault(String words, @Nullable Reason reason) {
        this.words = words;
        this.reason = reason;
    }

    abstract void begin(Wire wire) throws IOException;

    void end(Wire wire) throws IOException {
        wire.heal("inet");
    }
}
