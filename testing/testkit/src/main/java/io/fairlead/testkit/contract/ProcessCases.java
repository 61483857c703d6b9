package io.fairlead.testkit.contract;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** What cases about a peer in another process have in common. */
abstract class ProcessCases extends TransportContract {
    static final Duration NEVER = Duration.ofMinutes(10);
    private static final int CHUNK = 64 << 10;
    /** More than any queue takes that a peer does not read. */
    private static final int CHUNKS_MAX = 1024;

    /** This process's end of the connection that a process made, and the key that it sent. */
    record Remote(End end, RemoteKey key) {}

    /** Starts a peer that connects to the server. */
    final PeerProcess start(Duration liveness) throws IOException {
        return new PeerProcess(transport(), listener().address().getPort(), liveness);
    }

    /** Awaits the connection of a peer, and its key. */
    final Remote meet(PeerProcess process) {
        MemorySegment packed = buffer(8192);
        long id = server().receive(packed, PeerProgram.KEY_TAG, Worker.FULL_TAG_MASK);
        progressUntil(
                () -> server().recorder().has(id) || !process.isAlive(),
                "the process to connect and send its key; it said " + process.lines());
        Outcome outcome = server().recorder().outcome(id);
        End end = new End(server(), outcome.source().orElseThrow());
        byte[] key = packed.asSlice(0, outcome.length()).toArray(ValueLayout.JAVA_BYTE);
        return new Remote(end, end.endpoint().unpack(key));
    }

    /** Puts into the peer's memory until the endpoint takes no more, if the transport has such a bound and can put. */
    final void postUntilFull(Remote remote) {
        if (!transport().capabilities().contains(Capability.PUT)) {
            return;
        }
        MemorySegment chunk = buffer(CHUNK);
        for (int i = 0; i < CHUNKS_MAX; i++) {
            progress();
            if (!tryPut(remote, chunk)) {
                return;
            }
        }
    }

    /** False if the endpoint takes no more now. */
    final boolean tryPut(Remote remote, MemorySegment chunk) {
        Endpoint endpoint = remote.end().endpoint();
        Recorder recorder = server().recorder();
        long posted = endpoint.put(chunk, 0, chunk.byteSize(), remote.key(), 0, recorder, 0);
        if (posted == Endpoint.BACK_PRESSURE) {
            return false;
        }
        recorder.posted(endpoint, posted);
        return true;
    }
}
