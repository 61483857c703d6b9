package io.fairlead.benchmarks.contest;

import java.io.IOException;
import java.util.List;

/** A contestant in two processes of its own. */
final class Pair implements Entrant {
    private final Contestant contestant;
    private final SideProcess follower;
    private final SideProcess leader;

    private Pair(Contestant contestant, SideProcess leader, SideProcess follower) {
        this.contestant = contestant;
        this.leader = leader;
        this.follower = follower;
    }

    /** Starts and connects both sides. */
    static Pair start(Contestant contestant, Idle idle) throws IOException {
        boolean leaderListens = contestant.leaderListens();
        SideProcess listening = SideProcess.start(contestant, idle, leaderListens, List.of());
        try {
            SideProcess connecting =
                    SideProcess.start(contestant, idle, !leaderListens, List.of(listening.hear(SideMain.AT)));
            try {
                listening.hear(SideMain.READY);
                connecting.hear(SideMain.READY);
            } catch (IOException failure) {
                connecting.close();
                throw failure;
            }
            return leaderListens
                    ? new Pair(contestant, listening, connecting)
                    : new Pair(contestant, connecting, listening);
        } catch (IOException failure) {
            listening.close();
            throw failure;
        }
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

    private static long[] numbers(String text) {
        return List.of(text.split(" ", -1)).stream().mapToLong(Long::parseLong).toArray();
    }

    @Override
    public void close() {
        leader.close();
        follower.close();
    }
}
