package io.fairlead.benchmarks.contest;

import io.fairlead.benchmarks.process.DirectedProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A contestant in two processes of its own. */
final class Pair implements Entrant {
    private final Contestant contestant;
    private final DirectedProcess follower;
    private final DirectedProcess leader;

    private final long startedNs;
    private final long openedNs;

    private Pair(
            Contestant contestant, DirectedProcess leader, DirectedProcess follower, long startedNs, long openedNs) {
        this.contestant = contestant;
        this.leader = leader;
        this.follower = follower;
        this.startedNs = startedNs;
        this.openedNs = openedNs;
    }

    /** Starts and connects both sides. */
    static Pair start(Contestant contestant, Idle idle) throws IOException {
        boolean leaderListens = contestant.leaderListens();
        DirectedProcess listening = side(contestant, idle, leaderListens, List.of());
        try {
            List<String> address = List.of(listening.hear(SideMain.AT));
            long startedNs = System.nanoTime();
            DirectedProcess connecting = side(contestant, idle, !leaderListens, address);
            try {
                listening.hear(SideMain.READY);
                long openedNs = numbers(connecting.hear(SideMain.READY))[0];
                return leaderListens
                        ? new Pair(contestant, listening, connecting, startedNs, openedNs)
                        : new Pair(contestant, connecting, listening, startedNs, openedNs);
            } catch (IOException failure) {
                connecting.close();
                throw failure;
            }
        } catch (IOException failure) {
            listening.close();
            throw failure;
        }
    }

    private static DirectedProcess side(Contestant contestant, Idle idle, boolean leads, List<String> address)
            throws IOException {
        List<String> jvmOptions = new ArrayList<>(contestant.jvmOptions());
        jvmOptions.addAll(List.of("-Xmx1g", "-XX:MaxDirectMemorySize=3g"));
        List<String> arguments = new ArrayList<>(List.of(contestant.name(), idle.name(), String.valueOf(leads)));
        arguments.addAll(address);
        return DirectedProcess.start(contestant.title(), jvmOptions, SideMain.class, arguments);
    }

    /** The time at which the connecting process was started. */
    long startedNs() {
        return startedNs;
    }

    /** What the connecting process took to open the library and to connect. */
    long openedNs() {
        return openedNs;
    }

    @Override
    public String title() {
        return contestant.title();
    }

    @Override
    public Turn turn(Work work) throws IOException {
        follower.say(work.text());
        follower.hear(SideMain.BEGAN);
        leader.say(work.text());
        leader.hear(SideMain.BEGAN);
        long[] led = numbers(leader.hear(SideMain.DONE));
        long[] followed = numbers(follower.hear(SideMain.DONE));
        // The clocks of two processes of one host are one clock.
        long endNs = work.kind() == Work.Kind.STREAM ? followed[1] : led[1];
        return new Turn(
                work.count() * 1e9 / (endNs - led[0]),
                led[3] / 1e3,
                led[4] / 1e3,
                led[5] / 1e3,
                (led[2] + followed[2]) / 1e3 / work.count());
    }

    @Override
    public void rest() throws IOException {
        leader.say(SideMain.REST);
        follower.say(SideMain.REST);
        leader.hear(SideMain.DONE);
        follower.hear(SideMain.DONE);
    }

    private static long[] numbers(String text) {
        return List.of(text.split(" ", -1)).stream().mapToLong(Long::parseLong).toArray();
    }

    @Override
    public void close() {
        leader.askToEnd();
        follower.askToEnd();
        leader.close();
        follower.close();
    }
}
