package io.fairlead.cli.soak;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.cli.soak.Round.Incident;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Many connections at once that end in every state and way, among strangers that send nonsense; afterwards the listener still serves. */
final class ConnectScenario implements Scenario {
    private static final int CONNECTIONS_MAX = 60;

    @Override
    public String label() {
        return "connects";
    }

    @Override
    public List<Incident> incidents() {
        return List.of(Incident.NONE, Incident.NONE, Incident.STALL, Incident.KILL);
    }

    @Override
    public void serve(Round round, FairleadConfig config, ParentLink parent, Tally tally) {
        IdleStrategy idle = IdleStrategy.backOff();
        Ends ends = new Ends();
        try (Context context = Context.open(config);
                Worker worker = context.newWorker()) {
            Listener listener = worker.listen("127.0.0.1:0", ends);
            parent.ready(Integer.toString(listener.address().getPort()));
            while (!parent.isOver()) {
                idle.idle(worker, worker.progress());
            }
            new Deadline().drive(worker, () -> ends.ended() >= ends.connected());
            if (ends.ended() < ends.connected()) {
                tally.fault(
                        "endpoints of peers that have gone are open: connected=%d, ended=%d",
                        ends.connected(), ends.ended());
            }
        }
    }

    @Override
    public void run(Round round, FairleadConfig config, SoakMember member, Tally tally) throws Exception {
        int port = Integer.parseInt(member.begin(round));
        SplittableRandom random = round.random("connects");
        int count = 1 + random.nextInt(CONNECTIONS_MAX);
        int due = random.nextInt(count);
        IdleStrategy idle = IdleStrategy.backOff();
        Ends ends = new Ends();
        List<Endpoint> endpoints = new ArrayList<>();
        try (Context context = Context.open(config);
                Worker worker = context.newWorker()) {
            for (int i = 0; i < count; i++) {
                if (i == due) {
                    member.suffer(round);
                }
                if (random.nextInt(8) == 0) {
                    intrude(port, random);
                }
                endpoints.add(worker.connect("127.0.0.1:" + port, ends));
                tally.count();
                for (int turns = random.nextInt(50); turns > 0; turns--) {
                    idle.idle(worker, worker.progress());
                }
                end(endpoints.get(random.nextInt(endpoints.size())), random);
            }
            endpoints.forEach(Endpoint::startClose);
            new Deadline().drive(worker, () -> ends.ended() >= count);
            if (ends.ended() != count) {
                tally.fault("endpoints end once each: endpoints=%d, ended=%d", count, ends.ended());
            }
            if (round.incident() != Incident.KILL) {
                connectOnce(worker, port, tally);
            }
        }
    }

    private static void end(Endpoint endpoint, SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> endpoint.startClose();
            case 1 -> endpoint.abort();
            default -> {}
        }
    }

    private static void connectOnce(Worker worker, int port, Tally tally) {
        Ends ends = new Ends();
        try (Endpoint _ = worker.connect("127.0.0.1:" + port, ends)) {
            new Deadline().drive(worker, () -> ends.connected() + ends.ended() > 0);
        }
        if (ends.connected() == 0) {
            tally.fault("the listener does not serve any more: ended=%d", ends.ended());
        }
    }

    /** A stranger sends nonsense, and hangs up. */
    private static void intrude(int port, SplittableRandom random) throws IOException {
        byte[] nonsense = new byte[random.nextInt(300)];
        random.nextBytes(nonsense);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(nonsense);
        } catch (IOException refused) {
            // It was killed, or has hung up on the stranger: both are right.
            return;
        }
    }
}
