package io.fairlead.cli.roce;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.testkit.roce.RoceCount;
import io.fairlead.testkit.roce.RoceException;
import io.fairlead.testkit.roce.RoceHostile;
import io.fairlead.testkit.roce.RocePeer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What the processes in a guest do once the testkit is known to be there. */
final class RoceProcesses {
    private RoceProcesses() {}

    static int peer(
            Address listen,
            Optional<Address> connect,
            Optional<Path> revokeAt,
            int connections,
            long reportRounds,
            long allocateBytes,
            FairleadConfig config) {
        RocePeer peer = new RocePeer(
                new RocePeer.Options(
                        listen.resolve(),
                        connect.map(Address::resolve),
                        revokeAt,
                        connections,
                        reportRounds,
                        allocateBytes),
                System.out::println);
        try (StopSignal stop = StopSignal.install()) {
            stop.onRequest(peer::stop);
            peer.run(config);
        } catch (RoceException failed) {
            throw CommandFailure.failed(String.valueOf(failed.getMessage()));
        }
        return 0;
    }

    static int hostile(Address connect, Path revokeAt, FairleadConfig config) throws IOException {
        RoceHostile hostile = new RoceHostile(connect.resolve(), revokeAt, System.out::println);
        try (StopSignal stop = StopSignal.install()) {
            stop.onRequest(hostile::stop);
            hostile.run(config);
        } catch (RoceException failed) {
            throw CommandFailure.failed(String.valueOf(failed.getMessage()));
        }
        return 0;
    }

    static int count(int warmUp, int operations, FairleadConfig config) {
        try {
            new RoceCount(warmUp, operations, System.out::println).run(config);
        } catch (RoceException failed) {
            throw CommandFailure.failed(String.valueOf(failed.getMessage()));
        }
        return 0;
    }
}
