package io.fairlead.internal.tls;

import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import io.fairlead.fuzz.Input;
import io.fairlead.fuzz.MemoryChannel;
import io.fairlead.fuzz.MemoryChannel.Room;
import io.fairlead.security.internal.KeyFileSecurity;
import io.fairlead.security.internal.files.OwnFiles;
import io.fairlead.spi.security.ConnectionSecurity;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The handshake of TLS with the engine of the JDK and real keys. The first byte chooses: a listener or a connector is told the input, or both shake hands and the
 * input says what becomes of the bytes between them. Nobody without a key gets to the end, and two who do agree about it.
 */
public final class TlsHarness implements Harness {
    private static final int LISTENER = 0;
    private static final int CONNECTOR = 1;
    private static final int BOTH = 2;
    private static final int CHOICES = 3;
    private static final int TORN = 1 << 6;
    private static final int TORN_BYTES = 3;

    private static final String HOST = "node.example.org";
    /** A handshake takes fewer turns than this. */
    private static final int TURNS = 64;

    private final ConnectionSecurity security = new KeyFileSecurity().open(new OwnFiles().config);

    @Override
    public List<byte[]> seeds() {
        byte[] hello = hello();
        return List.of(
                Input.behind(LISTENER, hello),
                Input.behind(LISTENER | TORN, hello),
                Input.behind(LISTENER, new byte[] {22, 3, 3, 0, 4, 1, 0, 0, 0}),
                Input.behind(LISTENER, new byte[] {21, 3, 3, 0, 2, 2, 40}),
                Input.behind(CONNECTOR, new byte[] {22, 3, 3, 0, 4, 2, 0, 0, 0}),
                Input.behind(CONNECTOR, new byte[] {21, 3, 3, 0, 2, 1, 0}),
                Input.behind(BOTH, new byte[0]),
                Input.behind(BOTH, edit(Edit.FLIP, 0, 60, 1)),
                Input.behind(BOTH, edit(Edit.DROP, 1, 200, 3)),
                Input.behind(BOTH, edit(Edit.INSERT, 0, 600, 20)),
                Input.behind(BOTH, Input.join(edit(Edit.FLIP, 1, 900, 5), edit(Edit.END, 0, 700, 0))));
    }

    private byte[] hello() {
        try (FuzzedSide side = side(CONNECTOR, new byte[0], Integer.MAX_VALUE)) {
            side.advance();
            return side.channel.take();
        }
    }

    private FuzzedSide side(int role, byte[] incoming, int readMax) {
        return new FuzzedSide(
                role == CONNECTOR ? security.connector(HOST, 1) : security.listener(),
                new MemoryChannel(incoming, readMax, Room.ALL));
    }

    @Override
    public void run(byte[] input) {
        Input in = new Input(input);
        int first = in.u8();
        int readMax = (first & TORN) != 0 ? TORN_BYTES : Integer.MAX_VALUE;
        int choice = (first & ~TORN) % CHOICES;
        if (choice == BOTH) {
            shake(in, readMax);
        } else {
            tell(choice, in.rest(), readMax);
        }
    }

    private void tell(int role, byte[] bytes, int readMax) {
        try (FuzzedSide side = side(role, bytes, readMax)) {
            side.channel.end();
            for (int turn = 0; turn < TURNS && !side.hasEnded(); turn++) {
                side.advance();
            }
            Expect.that(side.hasEnded(), "a handshake goes on behind the end of its stream");
            Expect.that(!side.isDone(), "a peer without keys was let in");
            if (side.isNotTls()) {
                Expect.that(bytes[0] < 20 || bytes[0] > 24, "what begins as TLS is handed on as something else");
            }
        }
    }

    private void shake(Input in, int readMax) {
        Edits edits = new Edits(in);
        try (FuzzedSide connector = side(CONNECTOR, new byte[0], readMax);
                FuzzedSide listener = side(LISTENER, new byte[0], readMax)) {
            for (int turn = 0; turn < TURNS && !(connector.hasEnded() && listener.hasEnded()); turn++) {
                pass(connector, listener, edits, 0);
                pass(listener, connector, edits, 1);
            }
            // What waits for bytes that were dropped goes on when there are no more.
            for (FuzzedSide side : List.of(connector, listener)) {
                side.channel.end();
                for (int turn = 0; turn < TURNS && !side.hasEnded(); turn++) {
                    side.advance();
                }
                Expect.that(side.hasEnded(), "a handshake goes on behind the end of its stream");
            }
            if (connector.isDone() && listener.isDone()) {
                Secured one = connector.handshake.secured();
                Secured other = listener.handshake.secured();
                Expect.that(Arrays.equals(one.pathSecret(), other.pathSecret()), "two sides have different secrets");
                Expect.same(one.identity(), other.identity(), "a peer is somebody else");
            }
            Expect.that(
                    !edits.isEmpty() || (connector.isDone() && listener.isDone()),
                    "nothing was changed, and the handshake has failed");
        }
    }

    private static void pass(FuzzedSide from, FuzzedSide to, Edits edits, int direction) {
        from.advance();
        to.channel.send(edits.apply(direction, from.channel.take()));
        if (from.hasFailed() || edits.hasEnded(direction)) {
            to.channel.end();
        }
    }

    /** Certificates both ways, and what the engine makes of them. */
    @Override
    public long heapMax(byte[] input) {
        return (16 << 20) + 1024L * input.length;
    }

    private enum Edit {
        FLIP,
        DROP,
        INSERT,
        END
    }

    private static byte[] edit(Edit kind, int direction, int at, int value) {
        return new byte[] {(byte) (kind.ordinal() << 1 | direction), (byte) at, (byte) (at >>> 8), (byte) value};
    }

    /** What becomes of the bytes between two sides, by their place in the stream. */
    private static final class Edits {
        private static final int EDITS_MAX = 16;
        private static final Edit[] KINDS = Edit.values();

        private record One(Edit kind, int direction, int at, int value) {}

        private final List<One> edits = new ArrayList<>();
        private final int[] passed = new int[2];
        private final boolean[] ended = new boolean[2];

        Edits(Input in) {
            while (in.hasMore() && edits.size() < EDITS_MAX) {
                int what = in.u8();
                edits.add(new One(KINDS[(what >>> 1) % KINDS.length], what & 1, in.u16(), in.u8()));
            }
        }

        boolean isEmpty() {
            return edits.isEmpty();
        }

        boolean hasEnded(int direction) {
            return ended[direction];
        }

        byte[] apply(int direction, byte[] bytes) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            int skipped = 0;
            for (byte original : bytes) {
                int place = passed[direction]++;
                byte passing = original;
                for (One edit : edits) {
                    if (edit.direction != direction || edit.at != place) {
                        continue;
                    }
                    switch (edit.kind) {
                        case FLIP -> passing ^= (byte) edit.value;
                        case DROP -> skipped = 1 + edit.value;
                        case INSERT -> out.writeBytes(new byte[edit.value]);
                        case END -> ended[direction] = true;
                    }
                }
                if (skipped > 0) {
                    skipped--;
                } else if (!ended[direction]) {
                    out.write(passing);
                }
            }
            return out.toByteArray();
        }
    }
}
