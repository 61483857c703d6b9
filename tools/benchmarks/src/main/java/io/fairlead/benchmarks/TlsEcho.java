package io.fairlead.benchmarks;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.cli.measure.Allocations;
import io.fairlead.cli.measure.FairleadPingPong;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The answering process of {@code bench tls}. Ends when it has had all its turns, or when the asking process is gone. */
final class TlsEcho {
    private TlsEcho() {}

    /** One contestant: a context, and who has connected to it. */
    private static final class Side implements EndpointHandler, AutoCloseable {
        final Deque<Endpoint> accepted = new ArrayDeque<>();
        final Context context;
        final Worker worker;
        final Listener listener;

        Side(TlsContestant contestant, Map<String, String> security) {
            context = Context.open(contestant.config(security));
            worker = context.newWorker();
            listener = worker.listen(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), this);
        }

        @Override
        public void connected(Endpoint endpoint) {
            accepted.add(endpoint);
        }

        Endpoint next() {
            while (accepted.isEmpty()) {
                worker.progress();
            }
            return accepted.remove();
        }

        /** Until the asking side has closed it. */
        void awaitEnd(Endpoint endpoint) {
            while (endpoint.state() == EndpointState.CONNECTED) {
                worker.progress();
            }
        }

        @Override
        public void close() {
            worker.close();
            context.close();
        }
    }

    /**
     * Answers. Writes the port of each contestant, and behind each turn what it has allocated for short and for long messages.
     *
     * @param args the turn, the rounds, the contestants by comma, then keys and values of its security
     */
    public static void main(String[] args) {
        List<String> arguments = Arrays.asList(args);
        TlsTurn turn = TlsTurn.parse(arguments);
        int rounds = Integer.parseInt(arguments.get(3));
        Map<String, String> security = new LinkedHashMap<>();
        for (int i = 5; i < args.length; i += 2) {
            security.put(args[i], args[i + 1]);
        }
        endWithTheAskingProcess();
        List<Side> sides = new ArrayList<>();
        try {
            for (String name : arguments.get(4).split(",", -1)) {
                sides.add(new Side(TlsContestant.valueOf(name), security));
                System.out.println(sides.getLast().listener.address().getPort());
            }
            for (int round = 0; round < rounds; round++) {
                for (Side side : sides) {
                    System.out.println(answer(side, turn));
                }
            }
        } finally {
            sides.forEach(Side::close);
        }
    }

    /** Who leaves before a listener has told of it is never told of: the asking side waits for this. */
    private static void greet(Side side, Endpoint endpoint) {
        try (MessageStream greeting = new MessageStream(side.worker, endpoint, 1, 1)) {
            greeting.lead(1);
        }
    }

    /** It holds the other end of this one's standard input, and writes nothing. */
    private static void endWithTheAskingProcess() {
        Thread.ofPlatform().daemon().name("bench-parent-watch").start(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException gone) {
                // That is an end too.
            }
            Runtime.getRuntime().halt(1);
        });
    }

    private static String answer(Side side, TlsTurn turn) {
        for (int i = 0; i < turn.connects(); i++) {
            Endpoint brief = side.next();
            greet(side, brief);
            side.awaitEnd(brief);
        }
        Endpoint endpoint = side.next();
        greet(side, endpoint);
        long allocated = Allocations.ofThisThread();
        try (FairleadPingPong small =
                new FairleadPingPong(side.worker, endpoint, TlsTurn.SMALL, FairleadPingPong.BARE_LOOP)) {
            for (int i = 0; i < turn.exchanges(); i++) {
                small.answer();
            }
            small.settle();
        }
        long forSmall = Allocations.ofThisThread() - allocated;
        allocated = Allocations.ofThisThread();
        try (MessageStream large = new MessageStream(side.worker, endpoint, TlsTurn.LARGE, TlsTurn.WINDOW)) {
            large.follow(turn.messages());
        }
        long forLarge = Allocations.ofThisThread() - allocated;
        side.awaitEnd(endpoint);
        return forSmall + " " + forLarge;
    }
}
