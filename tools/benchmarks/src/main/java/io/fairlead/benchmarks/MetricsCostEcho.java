package io.fairlead.benchmarks;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.PathPolicy;
import io.fairlead.cli.measure.PingPong;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The answering process of {@link MetricsCost}. Ends when the schedule does, or when the asking process is gone. */
final class MetricsCostEcho {
    /** What the asking process waits for before it leaves one contestant alone for the other. */
    private static final String CONNECTED = "connected";

    private MetricsCostEcho() {}

    /**
     * Answers.
     *
     * @param args the policy, the port of the side without metrics, that of the side with, the schedule
     */
    public static void main(String[] args) {
        PathPolicy policy = PathPolicy.parse(args[0]);
        Schedule schedule = Schedule.parse(args[3]);
        try (MetricsCostSide off = MetricsCostSide.without(policy);
                MetricsCostSide on = MetricsCostSide.with(policy)) {
            Endpoint toOff = connect(off, Integer.parseInt(args[1]));
            Endpoint toOn = connect(on, Integer.parseInt(args[2]));
            System.out.println(CONNECTED);
            int exchanges = schedule.exchanges(MetricsCost.SIZE);
            try (PingPong offPingPong = MetricsCost.pingPong(off, toOff);
                    PingPong onPingPong = MetricsCost.pingPong(on, toOn)) {
                for (int round = 0; round < schedule.warmUpRounds() + schedule.rounds(); round++) {
                    if (MetricsCost.offFirst(round)) {
                        round(offPingPong, exchanges);
                        on.inTurn(() -> round(onPingPong, exchanges));
                    } else {
                        on.inTurn(() -> round(onPingPong, exchanges));
                        round(offPingPong, exchanges);
                    }
                }
            }
        }
    }

    private static Endpoint connect(MetricsCostSide side, int port) {
        Endpoint endpoint = side.worker()
                .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), EndpointHandler.NONE);
        while (endpoint.state() == EndpointState.CONNECTING) {
            side.worker().progress();
        }
        return endpoint;
    }

    private static void round(PingPong pingPong, int exchanges) {
        for (int i = 0; i < exchanges; i++) {
            pingPong.answer();
        }
        pingPong.settle();
    }
}
