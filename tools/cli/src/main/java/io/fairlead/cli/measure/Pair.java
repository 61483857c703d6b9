package io.fairlead.cli.measure;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A contestant in two processes of its own, so that neither carries what the compiler has learnt of another. */
public final class Pair implements Contestant {
    private final Ends ends;
    private final SideProcess leader;
    private final SideProcess follower;
    private final String connection;
    private final long startedNs;
    private final long openedNs;

    /**
     * How both processes are started.
     *
     * @param title the contestant's name
     * @param side what runs in both, as {@link SideMain} makes it
     * @param jvmOptions of both JVMs
     * @param leader arguments of the leading side
     * @param follower arguments of the following side
     * @param leaderListens whether the leading side is the one that listens
     * @param tests what the contestant has
     * @param limitS how long a turn may take
     */
    public record Ends(
            String title,
            Class<?> side,
            List<String> jvmOptions,
            List<String> leader,
            List<String> follower,
            boolean leaderListens,
            Set<PerfTest> tests,
            long limitS) {
        /** Both with the same arguments, and with all tests. */
        public static Ends of(String title, Class<?> side, List<String> arguments) {
            return new Ends(
                    title,
                    side,
                    List.of(),
                    arguments,
                    arguments,
                    false,
                    EnumSet.allOf(PerfTest.class),
                    SideProcess.LIMIT_S);
        }
    }

    private Pair(
            Ends ends,
            SideProcess listening,
            SideProcess connecting,
            String connection,
            long startedNs,
            long openedNs) {
        this.ends = ends;
        this.leader = ends.leaderListens() ? listening : connecting;
        this.follower = ends.leaderListens() ? connecting : listening;
        this.connection = connection;
        this.startedNs = startedNs;
        this.openedNs = openedNs;
    }

    /** Starts and connects both sides. */
    public static Pair start(Ends ends) throws IOException {
        SideProcess listening = start(ends, ends.leaderListens(), Optional.empty());
        try {
            String address = listening.address();
            long startedNs = System.nanoTime();
            SideProcess connecting = start(ends, !ends.leaderListens(), Optional.of(address));
            try {
                String connection = connecting.address();
                listening.hear(SideMain.READY, connecting);
                long openedNs = Long.parseLong(connecting.hear(SideMain.READY, listening));
                return new Pair(ends, listening, connecting, connection, startedNs, openedNs);
            } catch (IOException failure) {
                connecting.close();
                throw failure;
            }
        } catch (IOException failure) {
            listening.close();
            throw failure;
        }
    }

    private static SideProcess start(Ends ends, boolean leads, Optional<String> address) throws IOException {
        return SideProcess.start(
                (leads ? "the leading process of " : "the following process of ") + ends.title(),
                ends.limitS(),
                ends.jvmOptions(),
                ends.side(),
                address,
                leads ? ends.leader() : ends.follower());
    }

    /** What the connecting side says of its connection. */
    public String connection() {
        return connection;
    }

    /** When the connecting process was started. */
    public long startedNs() {
        return startedNs;
    }

    /** What the connecting process took to open the library and to connect. */
    public long openedNs() {
        return openedNs;
    }

    /** For what only one side knows. */
    public SideProcess leader() {
        return leader;
    }

    /** For what only one side knows. */
    public SideProcess follower() {
        return follower;
    }

    /** One of several contestants that share these processes: its turns begin with this word. */
    public Contestant named(String title, String word) {
        return new Contestant() {
            @Override
            public String title() {
                return title;
            }

            @Override
            public Turn turn(Work work) throws IOException {
                return Pair.this.turn(word + " ", work);
            }

            @Override
            public void rest() throws IOException {
                Pair.this.rest();
            }

            @Override
            public void close() {
                // The processes are closed with the pair.
            }
        };
    }

    @Override
    public String title() {
        return ends.title();
    }

    @Override
    public boolean has(PerfTest test) {
        return ends.tests().contains(test);
    }

    @Override
    public Turn turn(Work work) throws IOException {
        return turn("", work);
    }

    private Turn turn(String word, Work work) throws IOException {
        follower.say(word + WorkSide.FOLLOW + work.text());
        follower.hear(SideMain.BEGAN, leader);
        leader.say(word + WorkSide.lead(work));
        leader.hear(SideMain.BEGAN, follower);
        double[] led = leader.done(follower);
        double[] followed = follower.done(leader);
        // The clocks of two processes of one host are one clock.
        double endNs = work.test() == PerfTest.TAG_BW ? followed[1] : led[1];
        return new Turn(
                work.count() * 1e9 / (endNs - led[0]),
                led[4],
                led[5],
                led[6],
                led[7],
                led[8],
                (led[2] + followed[2]) / 1e3 / work.count(),
                Math.max(led[3], followed[3]) / work.test().trips() / work.count(),
                work.batch());
    }

    @Override
    public void rest() throws IOException {
        leader.say(SideMain.REST);
        follower.rest();
        leader.hear(SideMain.DONE);
    }

    @Override
    public void close() {
        leader.askToEnd();
        follower.askToEnd();
        leader.close();
        follower.close();
    }
}
