package io.fairlead.cli.soak;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.cli.soak.Round.Incident;
import java.util.List;

/** Tagged, synchronous and active messages of all lengths, both ways at once. */
final class MessageScenario implements Scenario {
    private static final int MESSAGES_MAX = 3000;

    @Override
    public String label() {
        return "messages";
    }

    @Override
    public List<Incident> incidents() {
        return List.of(Incident.NONE, Incident.NONE, Incident.STALL, Incident.CLOSE, Incident.ABORT, Incident.KILL);
    }

    private static Numbered messages(Round round, boolean ofMember) {
        int count = 1 + round.random("messages").nextInt(MESSAGES_MAX);
        return new Numbered(round.seed() + (ofMember ? 1 : 2), count);
    }

    @Override
    public void serve(Round round, FairleadConfig config, ParentLink parent, Tally tally) {
        Context context = Context.open(config);
        Worker worker = context.newWorker();
        try (MessageSide side = new MessageSide(worker, round, messages(round, true), messages(round, false), tally);
                context;
                worker) {
            Listener listener = worker.listen("127.0.0.1:0", side);
            parent.ready(Integer.toString(listener.address().getPort()));
            while (!side.isEnded() && !parent.isOver()) {
                side.turn();
            }
            if (side.isEnded()) {
                side.judge(new Deadline());
            } else if (side.endpoint() != null) {
                awaitEnd(side, tally);
            }
        }
    }

    /** The parent has ended its half: this one learns of it. */
    private static void awaitEnd(MessageSide side, Tally tally) {
        Deadline deadline = new Deadline();
        while (!side.isEnded() && !deadline.isOver()) {
            side.turn();
        }
        if (!side.isEnded()) {
            tally.fault("the endpoint of a peer that has gone is still open: messages=%d", side.posted());
        }
        side.judge(deadline);
    }

    @Override
    public void run(Round round, FairleadConfig config, SoakMember member, Tally tally) throws Exception {
        String port = member.begin(round);
        Numbered own = messages(round, false);
        int due = round.random("incident").nextInt(own.count());
        Context context = Context.open(config);
        Worker worker = context.newWorker();
        try (MessageSide side = new MessageSide(worker, round, own, messages(round, true), tally);
                context;
                worker) {
            Endpoint endpoint = worker.connect("127.0.0.1:" + port, side);
            Deadline deadline = new Deadline();
            boolean happened = round.incident() == Incident.NONE;
            while (!side.isEnded()
                    && !side.isFinished()
                    && !deadline.renewedBy(side.progress()).isOver()) {
                side.turn();
                if (!happened && side.posted() > due) {
                    happened = true;
                    member.happen(round, endpoint::close, endpoint::abort);
                }
            }
            boolean finished = side.isFinished();
            if (!side.isEnded() && !finished) {
                tally.fault("messages hang: sent=%d of %d", side.posted(), own.count());
            }
            endpoint.close();
            side.judge(deadline);
        }
    }
}
