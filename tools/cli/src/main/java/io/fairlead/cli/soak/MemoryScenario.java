package io.fairlead.cli.soak;

import io.fairlead.AccessRight;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Puts, gets, signals and atomics on a region of the member, beside a model of its content. */
final class MemoryScenario implements Scenario {
    @Override
    public String label() {
        return "memory";
    }

    /** The member's endpoint: it counts signals, which come in order. */
    private static final class Target extends Ends {
        private final Tally tally;
        private long signals;

        Target(Tally tally) {
            this.tally = tally;
        }

        @Override
        public void signalled(Endpoint endpoint, long value) {
            tally.count();
            if (value != signals++) {
                tally.fault("a signal was lost or doubled: value=%d, due=%d", value, signals - 1);
            }
        }
    }

    @Override
    public void serve(Round round, FairleadConfig config, ParentLink parent, Tally tally) {
        IdleStrategy idle = IdleStrategy.backOff();
        try (Context context = Context.open(config);
                Worker worker = context.newWorker()) {
            MemoryRegion region = context.allocate(MemoryModel.LENGTH, EnumSet.allOf(AccessRight.class));
            Target target = new Target(tally);
            Listener listener = worker.listen("127.0.0.1:0", target);
            parent.ready(listener.address().getPort() + " " + HexFormat.of().formatHex(region.packedKey()));
            String last = "";
            for (String order = ""; !order.equals(MemberLine.END); order = parent.order()) {
                idle.idle(worker, worker.progress());
                if (order.equals(MemberLine.WITHDRAW)) {
                    region.close();
                } else if (!order.isEmpty()) {
                    last = order;
                }
            }
            new Deadline().drive(worker, () -> target.ended() > 0);
            if (target.ended() == 0) {
                tally.fault("the endpoint of a peer that has gone is still open: signals=%d", target.signals);
            } else if (round.incident().isHarmless()) {
                // Its last order says how many signals it was sent, and what the region must hold.
                judge(last, target, region.segment(), tally);
            }
        }
    }

    private static void judge(String told, Target target, MemorySegment memory, Tally tally) {
        String found = target.signals + " " + crc(memory);
        if (!told.equals(found)) {
            tally.fault("the region differs from what was put: signals and checksum=%s, due=%s", found, told);
        }
    }

    static long crc(MemorySegment memory) {
        CRC32C crc = new CRC32C();
        crc.update(memory.asByteBuffer());
        return crc.getValue();
    }

    @Override
    public void run(Round round, FairleadConfig config, SoakMember member, Tally tally) throws Exception {
        String[] told = member.begin(round).split(" ", 2);
        Ends ends = new Ends();
        Context context = Context.open(config);
        Worker worker = context.newWorker();
        Endpoint endpoint = worker.connect("127.0.0.1:" + told[0], ends);
        new Deadline().drive(worker, () -> ends.connected() + ends.ended() > 0);
        if (ends.connected() == 0) {
            tally.fault("cannot connect to a member that listens: failure=%s", endpoint.failure());
            context.close();
            return;
        }
        RemoteKey key = endpoint.unpack(HexFormat.of().parseHex(told[1]));
        try (MemoryModel model = new MemoryModel(round, endpoint, key, ends, tally);
                context;
                worker) {
            SplittableRandom random = round.random("batches");
            int batches = 1 + random.nextInt(60);
            int due = random.nextInt(batches);
            for (int batch = 0; batch < batches && !model.isOver(); batch++) {
                if (batch == due) {
                    member.happen(round, endpoint::close, endpoint::abort);
                }
                model.batch();
            }
            if (round.incident().isHarmless()) {
                model.compareAll();
                member.order(model.signals() + " " + crc(model.expected()));
            }
            endpoint.close();
            model.awaitEnd();
        }
    }
}
