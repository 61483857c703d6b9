package io.fairlead.benchmarks;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Worker;
import io.fairlead.cli.measure.Allocations;
import io.fairlead.cli.measure.FairleadPingPong;
import io.fairlead.cli.measure.PingPong;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/** The answering process of a comparison. Ends when the schedule does, or when the asking process is gone. */
final class EchoMain {
    private EchoMain() {}

    /**
     * Answers.
     *
     * @param args the port of the raw listener, that of Fairlead's, the schedule
     */
    public static void main(String[] args) throws IOException {
        InetAddress host = InetAddress.getLoopbackAddress();
        Schedule schedule = Schedule.parse(args[2]);
        try (Context context = Context.open(TcpLatency.config(FairleadConfig.defaults()));
                Worker worker = context.newWorker();
                SocketChannel raw = RawPingPong.prepare(
                        SocketChannel.open(new InetSocketAddress(host, Integer.parseInt(args[0]))))) {
            Endpoint endpoint =
                    worker.connect(new InetSocketAddress(host, Integer.parseInt(args[1])), EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }
            for (int size : schedule.sizes()) {
                long allocated = answer(raw, worker, endpoint, size, schedule);
                System.out.println(size + " " + allocated);
            }
        }
    }

    /** Bytes that all counted exchanges of one size have allocated. */
    private static long answer(SocketChannel raw, Worker worker, Endpoint endpoint, int size, Schedule schedule) {
        try (PingPong reference = new RawPingPong(raw, size);
                PingPong fairlead = new FairleadPingPong(worker, endpoint, size, FairleadPingPong.BARE_LOOP)) {
            long allocated = 0;
            for (int round = 0; round < schedule.warmUpRounds() + schedule.rounds(); round++) {
                round(reference, schedule.exchanges(size));
                long before = Allocations.ofThisThread();
                round(fairlead, schedule.exchanges(size));
                if (round >= schedule.warmUpRounds()) {
                    allocated += Allocations.ofThisThread() - before;
                }
            }
            return allocated;
        }
    }

    private static void round(PingPong contestant, int exchanges) {
        for (int i = 0; i < exchanges; i++) {
            contestant.answer();
        }
        contestant.settle();
    }
}
